#!/usr/bin/env bash
#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only
#
# What is installed: only that, nothing that names this machine, and it runs from anywhere. With "package" the
# Debian package as well: lintian has nothing to say, and the same build gives the same bytes; that takes a
# minute, so "./dml test --package" calls it, and afterwards installs it in a Debian of its own.
# usage: package-test.sh PROGRAM [package]

set -euo pipefail
ROOT=${DML_ROOT:-$(dirname "$(readlink -f "$0")")/../..}
ROOT=$(readlink -f "$ROOT")
PROGRAM=$(readlink -f "$1")
BUILD=$(dirname "$PROGRAM")
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
trap 'echo "FAILED: line $LINENO: $BASH_COMMAND"' ERR

fail()
{
    echo "FAILED: $*"
    exit 1
}

# Another ns-3 or a sanitizer is of this machine.
[[ $("$PROGRAM" --version | sed -n 's/^build //p') == release ]] || { echo "skipped: no package is made of such a build"; exit 77; }

# What is no folder is refused before anything is built.
touch "$WORK/file"
for arguments in "a b" "$WORK/file" --no-such-option; do
    code=0
    # shellcheck disable=SC2086
    "$ROOT/dml" package $arguments >"$WORK/out" 2>&1 || code=$?
    [[ $code == 2 ]] && grep -q '^dml: package: found .*; accepted: a folder' "$WORK/out" ||
        fail "package $arguments: exit code $code: $(<"$WORK/out")"
done
# So is another engine of containers, and what follows.
for arguments in --package= --package=docker "--package more" "--package=podman more"; do
    code=0
    # shellcheck disable=SC2086
    timeout 1800 "$ROOT/dml" test $arguments >"$WORK/out" 2>&1 || code=$?
    [[ $code == 2 ]] && grep -q '^dml: test --package' "$WORK/out" ||
        fail "test $arguments: exit code $code: $(<"$WORK/out")"
done

export DEBFULLNAME="A Tester" DEBEMAIL=tester@debian.org SOURCE_DATE_EPOCH=1700000000
TREE=$WORK/tree
# make_package: PACKAGE, and what is in it
make_package()
{
    local name list=$WORK/list
    name=dml_$(<"$ROOT/VERSION")_$(dpkg --print-architecture).deb
    PACKAGE=$("$ROOT/cmake/package/make.sh" "$BUILD" "$WORK/made" 2>"$WORK/err") || fail "$(<"$WORK/err")"
    [[ $PACKAGE == "$WORK/made/$name" ]] || fail "made $PACKAGE, not $name"
    "$ROOT/cmake/package/make.sh" "$BUILD" "$WORK/again" >"$WORK/out" 2>&1 || fail "$(<"$WORK/out")"
    cmp "$PACKAGE" "$WORK/again/$name" || fail "a second package of the same build differs"
    lintian --allow-root --fail-on none "$PACKAGE" >"$WORK/lintian" 2>&1
    [[ ! -s $WORK/lintian ]] || fail "lintian: $(<"$WORK/lintian")"
    dpkg-deb -c "$PACKAGE" >"$list"
    ! grep -vE '^(drwxr-xr-x|-rw-r--r--|-rwxr-xr-x) root/root ' "$list" || fail "owners or rights"
    dpkg-deb -x "$PACKAGE" "$TREE"
}

# What it depends on is what its files are linked with: the packages that have it here.
check_control()
{
    local control library path owner
    control=$(dpkg-deb -f "$PACKAGE")
    for library in libns3-core.so libnghttp2.so libyaml-cpp.so $(ldd "$PROGRAM" | grep -o 'libtcmalloc_minimal\.so'); do
        path=$(ldd "$PROGRAM" | sed -n "s|.*${library}[^ ]* => \([^ ]*\) .*|\1|p")
        owner=$(dpkg -S "*/${path##*/}" | sed -n '1s/:.*//p')
        grep -q "^Depends: .*$owner" <<<"$control" || fail "does not depend on $owner: $control"
    done
    grep -qx "Maintainer: A Tester <tester@debian.org>" <<<"$control" || fail "the maintainer of $control"
}

if [[ ${2-} == package ]]; then
    make_package
    check_control
else
    DESTDIR=$TREE cmake --install "$BUILD" --prefix /usr >"$WORK/out" 2>&1 || fail "$(<"$WORK/out")"
fi

# Of the folder itself its parts, as its name alone may be that of an installed one: /dml is in /usr/share/dml.
for path in "$ROOT"/{cmake,model,program,test} "$BUILD" "${HOME-/root}"; do
    [[ $path == / || $path == /root ]] || ! grep -rlF -- "$path" "$TREE" || fail "these files have $path"
done
find "$TREE" -name '*.gz' -exec gzip -t {} + || fail "what is compressed is damaged"

# Headers: the public ones, which the test rooms knows to be complete, and no others.
sed -n '/^set(DML_PUBLIC_HEADERS/,/^)/s|^ .*/||p' "$ROOT/cmake/dml-sources.cmake" | sort >"$WORK/public"
(cd "$TREE/usr/include/dml/ns3" && printf '%s\n' *) | sort | diff - "$WORK/public" || fail "other headers"

# The manual page has the help of every command, as long as it is.
zcat "$TREE/usr/share/man/man1/dml.1.gz" >"$WORK/dml.1"
if command -v man >/dev/null; then
    COLUMNS=80 MANWIDTH=80 LC_ALL=C.UTF-8 man --warnings -E UTF-8 -l -P cat "$WORK/dml.1" >"$WORK/page" 2>"$WORK/err"
    [[ ! -s $WORK/err ]] || fail "man: $(<"$WORK/err")"
    "$PROGRAM" help | sed -n 's/^  \([a-z][a-z-]*\)  .*/\1/p' >"$WORK/commands"
    [[ $(wc -l <"$WORK/commands") -ge 15 ]] || fail "the list of commands: $("$PROGRAM" help)"
    while read -r command; do
        "$PROGRAM" help "$command" | sed -e '1s/^dml \([a-z-]*\): /   dml \1\n/' -e '/^$/d'
    done <"$WORK/commands" >"$WORK/help"
    sed -e '1,/^COMMANDS$/d' -e '/^FILES$/,$d' -e '/^$/d' "$WORK/page" | diff "$WORK/help" - ||
        fail "the manual page has another help"
else
    echo "skipped: man is not installed, so the manual page was not read"
fi

# The program runs from anywhere without the repository, and gives the same.
mkdir "$WORK/user"
cd "$WORK/user"
cp "$ROOT"/test/data/tiny.yaml "$ROOT"/test/data/tiny.profile.yaml .
installed()
{
    env -i PATH=/usr/bin:/bin HOME="$WORK" "$TREE/usr/bin/dml" "$@" </dev/null >out.txt 2>err.txt ||
        fail "dml $*: $(<err.txt)"
}
PRIVATE=$(dirname "$(find "$TREE/usr/lib" -name libdml.so)")
env -i LD_TRACE_LOADED_OBJECTS=1 "$TREE/usr/bin/dml" >libraries.txt
[[ $(readlink -f "$(sed -n 's/.*libdml.so => \([^ ]*\) .*/\1/p' libraries.txt)") == "$PRIVATE/libdml.so" ]] ||
    fail "takes another library: $(<libraries.txt)"
installed --version
"$PROGRAM" --version | cmp - out.txt || fail "another version"
installed run tiny.yaml --out there
DML_ROOT=$ROOT "$PROGRAM" run tiny.yaml --out here >out.txt 2>&1
for file in steps.csv transfers.csv throughput.csv; do
    cmp "here/$file" "there/$file" || fail "other results"
done
installed run --engine=fair-share --out flagship --set job.workers=1 --set replications=1 --set output.plots=false
grep -q alexnet out.txt || fail "the flagship study: $(<out.txt)"
for library in netanim grpc gloo; do
    [[ ! -e $BUILD/libdml-$library.so || -e $PRIVATE/libdml-$library.so ]] || fail "no libdml-$library.so"
done

# What the installed examples include is of packages that ours suggests: g++, ns-3's and Boost's bring others.
if command -v dpkg-query >/dev/null; then
    suggested=$(sed -n 's/^set(CPACK_DEBIAN_PACKAGE_SUGGESTS "\(.*\)")$/\1/p' "$ROOT/cmake/dml-install.cmake")
    grep -q 'libns3-dev' <<<"$suggested" || fail "suggests '$suggested'"
    standard=$(sed -n 's/^Cflags: \(-std=[^ ]*\) .*/\1/p' "$(find "$TREE/usr/lib" -name dml.pc)")
    for example in "$TREE"/usr/share/doc/dml/examples/*.cc; do
        c++ "$standard" -M -I"$TREE/usr/include/dml" "$example" 2>"$WORK/err" | tr ' \\' '\n\n' ||
            fail "${example##*/}: $(<"$WORK/err")"
    done | grep '^/usr/include/' | sort -u >"$WORK/included"
    xargs dpkg-query -S <"$WORK/included" | sed -e 's/:.*//' -e 's/^libboost[0-9.]*-dev$/libboost-dev/' \
        -e 's/^\(libc6\|libstdc++-[0-9]*\|linux-libc\)-dev$/g++/' | sort -u >"$WORK/owners"
    grep -qx libboost-dev "$WORK/owners" || fail "the examples include headers of: $(<"$WORK/owners")"
    while read -r owner; do
        grep -qxF -- "$owner" <<<"${suggested//, /$'\n'}" ||
            fail "the examples need $owner, which the package does not suggest"
    done <"$WORK/owners"
fi

# A script of one's own is built with CMake and with pkg-config, of what is installed, and says the same.
if command -v pkg-config >/dev/null; then
    cmake -S "$ROOT/test/build/own-script" -B "$WORK/by-cmake" -G Ninja -DCMAKE_PREFIX_PATH="$TREE/usr" >"$WORK/out" 2>&1 &&
        cmake --build "$WORK/by-cmake" >>"$WORK/out" 2>&1 || fail "find_package(dml): $(<"$WORK/out")"
    ! grep -q Warning "$WORK/out" || fail "find_package(dml): $(<"$WORK/out")"
    # shellcheck disable=SC2046
    c++ -o "$WORK/by-pkg-config" "$ROOT/test/build/own-script/own-script.cc" $(PKG_CONFIG_PATH=$(dirname \
        "$(find "$TREE/usr/lib" -name dml.pc)") pkg-config --cflags --libs dml) || fail "pkg-config dml"
    env -i "$WORK/by-cmake/own-script" >"$WORK/script"
    grep -qx 'trained for [0-9.]* s' "$WORK/script" || fail "a script of one's own: $(<"$WORK/script")"
    env -i "$WORK/by-pkg-config" | cmp - "$WORK/script" || fail "the script built with pkg-config says otherwise"
else
    echo "skipped: without pkg-config no script of one's own is built"
fi

size=$(du -sm "$TREE" | cut -f1)
echo "installed: $(find "$TREE" -type f | wc -l) files, $size MB${PACKAGE:+; package: $(stat -c %s "$PACKAGE") bytes}"
