# SPDX-License-Identifier: MIT
# An answer in two parts, a second apart.
echo "Content-Type: text/plain"
echo
echo first
sleep 1
echo second
