/* SPDX-License-Identifier: MIT */
/*
 * Results of lighttpd's configure on Debian, for the macros that the headers of a plugin use:
 *
 *	grep -oh -E 'HAVE_[A-Z0-9_]+' base.h plugin.h request.h http_*.h buffer.h array.h chunk.h sys-*.h ... | sort -u
 *
 * Macros for other systems and for TLS libraries are left out. The first three affect the size of structures;
 * debian/rules configures --with-pcre2. tests/web/test_layout.py compares the sizes with those of the image's lighttpd.
 */
#define HAVE_PCRE2_H 1
#define HAVE_IPV6 1
#define HAVE_SYS_UN_H 1

#define HAVE_CLOCK_GETTIME 1
#define HAVE_GMTIME_R 1
#define HAVE_INTTYPES_H 1
#define HAVE_LOCALTIME_R 1
#define HAVE_LSTAT 1
#define HAVE_MMAP 1
#define HAVE_SOCKLEN_T 1
#define HAVE_SPLICE 1
#define HAVE_STDINT_H 1
#define HAVE_STRINGS_H 1
#define HAVE_SYSLOG_H 1
#define HAVE_SYS_INOTIFY_H 1
#define HAVE_SYS_MMAN_H 1
#define HAVE_SYS_TIME_H 1
#define HAVE_SYS_WAIT_H 1
#define HAVE_TIMEGM 1
#define HAVE_UNISTD_H 1
#define HAVE_XATTR 1
