-- SPDX-License-Identifier: MIT
--
-- Wireshark shows the TCP ACKs that ACK and BlockAck frames carry (TCP/HACK). The format is described at the head of
-- workloads/hack/kernel/files/drivers/net/wireless/virtual/hwsim_hack.h.
--
--     tshark -X lua_script:workloads/hack/wireshark/hack.lua -r runs/latest/raw/air-5180.pcapng -Y hack
--
-- Not shown: the restored ACKs, and whether their CRCs are right. That takes the ACKs before them, and a capture may
-- lack some.
--
-- Other stacks may put their own bytes there. What does not parse to its last byte is shown as "Not TCP/HACK"
-- (hack.other). Bytes that parse by chance are taken for TCP/HACK.

local hack = Proto("hack", "TCP/HACK")

-- ---- the format ----

-- What fields are called, and how Wireshark writes their values.
local UNITS = { base.UNIT_STRING, { " unit", " units" } }
local TICKS = { base.UNIT_STRING, { " tick", " ticks" } }
local BYTES = { base.UNIT_STRING, { " byte", " bytes" } }
local IS_THERE = { base.DEC, { [0] = "not there", "there" } }
local IS_SET = { base.DEC, { [0] = "not set", "set" } }

local FIELDS = {
	["cid"] = { "CID", { base.HEX } },
	["has.id"] = { "IPv4 identification", IS_THERE },
	["has.window"] = { "Window", IS_THERE },
	["has.more"] = { "More flags", IS_THERE },
	["has.claim"] = { "Claim of the CID", IS_THERE },
	["has.unit"] = { "Unit of the ACK number", IS_THERE },
	["width.ack"] = {
		"ACK number",
		{ base.DEC, { [0] = "as before", "1 byte, grows by units", "lowest 2 bytes", "whole" } },
	},
	["width.times"] = {
		"Timestamps",
		{ base.DEC, { [0] = "as before", "4 bits each, grow by ticks", "lowest 2 bytes each", "whole" } },
	},
	["sacks"] = { "SACK blocks", { base.DEC } },
	["ece"] = { "ECE", IS_SET },
	["cwr"] = { "CWR", IS_SET },
	["psh"] = { "PSH", IS_SET },
	["claim"] = { "Claim: the rest of the flow's tag", { base.HEX } },
	["unit_bytes"] = { "Unit of the ACK number", BYTES },
	["id"] = { "IPv4 identification", { base.DEC } },
	["window"] = { "Window, not scaled", { base.DEC } },
	["window.step"] = { "Window, not scaled, grows by", { base.DEC } },
	["medium"] = { "Medium form", { base.HEX } },
	["ack.units"] = { "ACK number grows by", UNITS },
	["ack.low"] = { "ACK number, lowest 2 bytes", { base.DEC } },
	["ack.whole"] = { "ACK number", { base.DEC } },
	["timestamp.ticks"] = { "Timestamp grows by", TICKS },
	["timestamp.low"] = { "Timestamp, lowest 2 bytes", { base.DEC } },
	["timestamp.whole"] = { "Timestamp", { base.DEC } },
	["echo.ticks"] = { "Timestamp echo grows by", TICKS },
	["echo.low"] = { "Timestamp echo, lowest 2 bytes", { base.DEC } },
	["echo.whole"] = { "Timestamp echo", { base.DEC } },
	["sack.left_bytes"] = { "SACK block: left edge, from the ACK number", BYTES },
	["sack.left_units"] = { "SACK block: left edge, from the ACK number", UNITS },
	["sack.length_bytes"] = { "SACK block: length", BYTES },
	["sack.length_units"] = { "SACK block: length", UNITS },
	["crc"] = { "CRC-8 of the restored packet", { base.HEX } },
}

-- The forms of an item. The first one fits whose `value` the second byte of the item has in `mask`. A row is
--     bytes, field   a number in network byte order
--     bytes, bits    fields that share the bytes: { mask, field }
--     each, groups   numbers in groups of 7 bits, as many times as the field `each` says, `most` times at most;
--                    the lowest bit says whether a number is in units
-- and is there if the field `when`, read before, has the value `is` (without `is`: is not 0). Bits in
-- `clear` must be 0; `kind` is the type of a number that has a sign.
local FORMS = {
	{
		name = "short",
		mask = 0x80,
		value = 0x00,
		rows = {
			{ bytes = 1, field = "cid" },
			{ bytes = 1, bits = { { 0x70, "ack.units" }, { 0x0c, "timestamp.ticks" }, { 0x03, "echo.ticks" } } },
			{ bytes = 1, field = "crc" },
		},
	},
	{
		name = "medium",
		mask = 0xff,
		value = 0x80,
		rows = {
			{ bytes = 1, field = "cid" },
			{ bytes = 1, field = "medium" },
			{ bytes = 1, field = "window.step", kind = "int8" },
			{
				bytes = 1,
				clear = 0x80,
				bits = { { 0x70, "ack.units" }, { 0x0c, "timestamp.ticks" }, { 0x03, "echo.ticks" } },
			},
			{ bytes = 1, field = "crc" },
		},
	},
	{
		name = "long",
		mask = 0x80,
		value = 0x80,
		rows = {
			{ bytes = 1, field = "cid" },
			{
				bytes = 1,
				bits = {
					{ 0x40, "has.id" },
					{ 0x20, "has.window" },
					{ 0x10, "has.more" },
					{ 0x0c, "width.ack" },
					{ 0x03, "width.times" },
				},
			},
			{
				bytes = 1,
				when = "has.more",
				bits = {
					{ 0x80, "has.claim" },
					{ 0x40, "has.unit" },
					{ 0x38, "sacks" },
					{ 0x04, "ece" },
					{ 0x02, "cwr" },
					{ 0x01, "psh" },
				},
			},
			{ bytes = 3, field = "claim", when = "has.claim" },
			{ bytes = 2, field = "unit_bytes", when = "has.unit" },
			{ bytes = 2, field = "id", when = "has.id" },
			{ bytes = 2, field = "window", when = "has.window" },
			{ bytes = 1, field = "ack.units", when = "width.ack", is = 1 },
			{ bytes = 2, field = "ack.low", when = "width.ack", is = 2 },
			{ bytes = 4, field = "ack.whole", when = "width.ack", is = 3 },
			{ bytes = 1, bits = { { 0xf0, "timestamp.ticks" }, { 0x0f, "echo.ticks" } }, when = "width.times", is = 1 },
			{ bytes = 2, field = "timestamp.low", when = "width.times", is = 2 },
			{ bytes = 2, field = "echo.low", when = "width.times", is = 2 },
			{ bytes = 4, field = "timestamp.whole", when = "width.times", is = 3 },
			{ bytes = 4, field = "echo.whole", when = "width.times", is = 3 },
			-- RFC 2018, 3: no option has room for more
			{ each = "sacks", most = 4, groups = { { "sack.left", "int32" }, { "sack.length", "uint32" } } },
			{ bytes = 1, field = "crc" },
		},
	},
}

-- ---- what Wireshark shows of it ----

local MSN = ProtoField.uint8("hack.msn", "Master sequence number of the first TCP ACK")
local COUNT = ProtoField.uint16("hack.items", "TCP ACKs")
local TOTAL = ProtoField.uint16("hack.bytes", "Bytes in all", BYTES[1], BYTES[2])
local ITEM = ProtoField.none("hack.item", "TCP ACK")
local ITEM_MSN = ProtoField.uint8("hack.item.msn", "Master sequence number")
local ITEM_FORM = ProtoField.string("hack.item.form", "Form")
local ITEM_BYTES = ProtoField.uint16("hack.item.bytes", "Bytes", BYTES[1], BYTES[2])
local OTHER = ProtoField.bytes("hack.other", "Not TCP/HACK")
local WHY = ProtoExpert.new("hack.other.why", "Not TCP/HACK", expert.group.PROTOCOL, expert.severity.NOTE)

local registered = { MSN, COUNT, TOTAL, ITEM, ITEM_MSN, ITEM_FORM, ITEM_BYTES, OTHER }

-- The ProtoField of an item's field. Wireshark has one for each type and mask, all with the same name in filters.
local function proto_field(name, kind, mask)
	local title, how = FIELDS[name][1], FIELDS[name][2]
	local made = ProtoField[kind]("hack.item." .. name, title, how[1], how[2], mask)
	table.insert(registered, made)
	return made
end

local KINDS = { "uint8", "uint16", "uint24", "uint32" } -- by bytes

for _, form in ipairs(FORMS) do
	for _, row in ipairs(form.rows) do
		for _, group in ipairs(row.groups or {}) do
			group.in_bytes = proto_field(group[1] .. "_bytes", group[2])
			group.in_units = proto_field(group[1] .. "_units", group[2])
		end
		row.bits = row.bits or row.bytes and { { 256 ^ row.bytes - 1, row.field } } or {}
		for _, bits in ipairs(row.bits) do
			bits.shown = proto_field(bits[2], row.kind or KINDS[row.bytes], not row.field and bits[1] or nil)
		end
	end
end

hack.fields = registered
hack.experts = { WHY }

-- ---- reading ----

-- Lua 5.2 (Debian 12) has no integers and no operators for bits, Lua 5.4 (Debian 13) no library for them.

local function masked(number, mask)
	local lowest = 1
	while mask % (2 * lowest) == 0 do
		lowest = 2 * lowest
	end
	return math.floor(number / lowest) % (math.floor(mask / lowest) + 1)
end

-- What is left of a payload: a string, and the next position in it, from 0. `trouble`: why it cannot be read on.
local function reader_of(bytes)
	return { bytes = bytes, at = 0 }
end

local function take(reader, count, what)
	local left = #reader.bytes - reader.at
	if reader.trouble or left < count then
		reader.trouble = reader.trouble or string.format("ends early: %s has %d of %d bytes", what, left, count)
		return 0
	end
	local number = 0
	for _ = 1, count do
		reader.at = reader.at + 1
		number = number * 256 + reader.bytes:byte(reader.at)
	end
	return number
end

local LONGEST = 5 -- groups of 7 bits in a number of 33 bits

local function take_groups(reader, what)
	local number = 0
	for place = 0, LONGEST - 1 do
		local group = take(reader, 1, what)
		number = number + group % 128 * 128 ^ place
		if group < 128 and number < 2 ^ 33 then
			return math.floor(number / 2), number % 2 == 1
		elseif group < 128 then
			reader.trouble = reader.trouble or string.format("has a number of more than 33 bits: %s", what)
			return 0
		end
	end
	reader.trouble = reader.trouble or string.format("has a number of more than %d groups of 7 bits: %s", LONGEST, what)
	return 0
end

-- Signed numbers: 0, -1, 1, -2, …
local function as_signed(number)
	return number % 2 == 0 and number / 2 or -(number + 1) / 2
end

-- Parts of an item: what is shown, where, and the value, if Wireshark cannot read it there itself.
local function read_groups(reader, row, item)
	local count = item.values[row.each] or 0
	if count > row.most then
		local trouble = string.format("has %d %s, %d at most have room", count, FIELDS[row.each][1], row.most)
		reader.trouble = reader.trouble or trouble
		return
	end
	for _ = 1, count do
		for _, group in ipairs(row.groups) do
			local at = reader.at
			local number, is_whole = take_groups(reader, FIELDS[group[1] .. "_bytes"][1])
			local value = math.floor(group[2] == "int32" and as_signed(number) or number)
			local shown = is_whole and group.in_units or group.in_bytes
			table.insert(item.parts, { shown = shown, at = at, bytes = reader.at - at, value = value })
		end
	end
end

local function read_bits(reader, row, item)
	local at = reader.at
	local number = take(reader, row.bytes, FIELDS[row.bits[1][2]][1])
	if row.clear and masked(number, row.clear) ~= 0 then
		reader.trouble = reader.trouble or string.format("has a bit that must be 0: 0x%02x", row.clear)
	end
	for _, bits in ipairs(row.bits) do
		item.values[bits[2]] = masked(number, bits[1])
		table.insert(item.parts, { shown = bits.shown, at = at, bytes = row.bytes })
	end
end

local function is_there(row, values)
	local value = row.when and values[row.when] or 0
	if not row.when then
		return true
	elseif row.is then
		return value == row.is
	end
	return value ~= 0
end

local function form_at(reader)
	local second = reader.bytes:byte(reader.at + 2)
	for _, form in ipairs(FORMS) do
		if second and masked(second, form.mask) == masked(form.value, form.mask) then
			return form
		end
	end
	reader.trouble = second and "has none of the forms" or "ends early: no byte says its form"
end

local function read_item(reader)
	local form = form_at(reader)
	local item = { form = form, at = reader.at, values = {}, parts = {} }
	for _, row in ipairs(form and form.rows or {}) do
		if is_there(row, item.values) then
			(row.groups and read_groups or read_bits)(reader, row, item)
		end
	end
	item.bytes = reader.at - item.at
	return item
end

-- Returns the MSN and the items; or nil and why this is not a payload of TCP/HACK.
local function parse(bytes)
	local reader = reader_of(bytes)
	local msn = take(reader, 1, "Master sequence number")
	local items = {}
	repeat
		table.insert(items, read_item(reader))
		if reader.trouble then
			return nil, string.format("item %d, at byte %d, %s", #items, items[#items].at, reader.trouble)
		end
	until reader.at == #bytes
	return msn, items
end

-- ---- showing ----

local function show_item(tree, payload, item, msn)
	local branch = tree:add(ITEM, payload(item.at, item.bytes))
	local about = string.format("MSN %d, CID 0x%02x, %s, %d bytes", msn, item.values.cid, item.form.name, item.bytes)
	branch:set_text("TCP ACK: " .. about)
	branch:add(ITEM_MSN, msn):set_generated()
	branch:add(ITEM_FORM, item.form.name):set_generated()
	branch:add(ITEM_BYTES, item.bytes):set_generated()
	for _, part in ipairs(item.parts) do
		if part.value then
			branch:add(part.shown, payload(part.at, part.bytes), part.value)
		else
			branch:add(part.shown, payload(part.at, part.bytes))
		end
	end
end

local function show(tree, payload, msn, items)
	local branch = tree:add(hack, payload)
	local acks = #items == 1 and "1 ACK" or #items .. " ACKs"
	branch:append_text(string.format(": %s in %d bytes", acks, payload:len()))
	branch:add(MSN, payload(0, 1))
	branch:add(COUNT, #items):set_generated()
	branch:add(TOTAL, payload:len()):set_generated()
	for number, item in ipairs(items) do
		show_item(branch, payload, item, (msn + number - 1) % 256)
	end
	return "HACK " .. acks
end

-- ---- which bytes ----

local type_subtype = Field.new("wlan.fc.type_subtype")
local radiotap_length = Field.new("radiotap.length")
local radiotap_fcs = Field.new("radiotap.flags.fcs")

local ACK, BLOCK_ACK = 0x1d, 0x19
local ACK_BYTES, BLOCK_ACK_BYTES, FCS_BYTES = 10, 28, 4
local COMPRESSED = 2

-- The length of an answer's own fields (IEEE 802.11-2020, 9.3.1.4 and 9.3.1.8), or nil: another frame or variant.
local function own_bytes(kind, mpdu)
	if kind == ACK then
		return ACK_BYTES
	elseif kind == BLOCK_ACK and mpdu:len() >= BLOCK_ACK_BYTES then
		local variant = mpdu(16, 2):le_uint()
		local starting = mpdu(18, 2):le_uint()
		local is_of_64 = starting % 16 == 0 -- 802.11ax has longer ones, and says so here
		if masked(variant, 0x1e) == COMPRESSED and is_of_64 then
			return BLOCK_ACK_BYTES
		end
	end
end

-- The bytes between an answer's own fields and its FCS, or nil.
local function payload_of(tvb)
	local kind, head, fcs = type_subtype(), radiotap_length(), radiotap_fcs()
	if not (kind and head and fcs and fcs.value) or head.offset ~= 2 or tvb:captured_len() < tvb:reported_len() then
		return nil
	end
	local mpdu_bytes = tvb:captured_len() - head.value - FCS_BYTES
	if mpdu_bytes < ACK_BYTES then
		return nil
	end
	local mpdu = tvb(head.value, mpdu_bytes)
	local own = own_bytes(kind.value, mpdu)
	return own and mpdu_bytes > own and mpdu(own) or nil
end

function hack.dissector(tvb, pinfo, tree)
	local payload = payload_of(tvb)
	if not payload then
		return
	end
	local msn, found = parse(payload:raw())
	if msn then
		pinfo.cols.info:append(", " .. show(tree, payload, msn, found))
	else
		tree:add(OTHER, payload):add_proto_expert_info(WHY, "Not TCP/HACK: " .. found)
	end
end

register_postdissector(hack)
