#!/bin/sh
# Installs Debian's chromium for the browser tests where that is possible, and says what is missing where not.
if command -v chromium >/dev/null 2>&1 && command -v chromedriver >/dev/null 2>&1; then exit 0; fi
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium chromium-driver; } >/dev/null 2>&1 && exit 0
fi
echo "No chromium and chromedriver found, and they could not be installed here: the browser tests will be skipped." >&2
echo "On Debian or Ubuntu: apt-get install chromium chromium-driver" >&2
exit 0
