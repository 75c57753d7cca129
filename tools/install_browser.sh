#!/bin/sh
# The browser of the report's tests: Debian's Chromium and a Korean font. Does nothing where they are there already.
set -eu
if command -v chromium >/dev/null 2>&1 && fc-list :lang=ko 2>/dev/null | grep -q .; then
    exit 0
fi
if ! command -v apt-get >/dev/null 2>&1; then
    echo "No Chromium and no apt-get here: install Chromium and a Korean font by hand, or the browser tests are skipped." >&2
    exit 0
fi
as_root=""
if [ "$(id -u)" -ne 0 ]; then
    if ! sudo -n true 2>/dev/null; then
        echo "Chromium needs root to install (apt-get install chromium fonts-nanum): the browser tests are skipped." >&2
        exit 0
    fi
    as_root="sudo -n"
fi
export DEBIAN_FRONTEND=noninteractive
$as_root apt-get update -qq
$as_root apt-get install -y -qq --no-install-recommends chromium fontconfig fonts-nanum >/dev/null
