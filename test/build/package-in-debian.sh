#!/usr/bin/env bash
#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only
#
# Does what Containerfile says without a container engine: each stage is a new Debian in a folder, in which
# its RUN lines are run. Then uses what the last stage has installed as a user does, who has no repository.
# usage: package-in-debian.sh FOLDER [podman]
# Without podman, what the first stage builds stays, and a second run continues there. With it, podman makes
# the image, in a store of its own in FOLDER: yours stays as it is. Debian's image is made there of the folder,
# so that no registry is asked.
# "./dml test --package" calls this after it has installed the packages. It changes its root folder, so
# it must be run by root.

set -euo pipefail

ROOT=$(readlink -f "$(dirname "${BASH_SOURCE[0]}")/../..")
USAGE="usage: package-in-debian.sh FOLDER [podman]"
WORK=$(realpath -m "${1:?$USAGE}")
ENGINE=${2-}
[[ -z $ENGINE || $ENGINE == podman ]] || { echo "$USAGE"; exit 2; }
DATA=$ROOT/test/data

source "$ROOT/cmake/ns3-source.sh"
source "$ROOT/test/build/debian-root.sh"

need_root "test --package" "$WORK"

fail()
{
    say "Containerfile: $*"
    exit 1
}

# need_debian IMAGE: sets SUITE, and installs it into the folder of that name unless it is there.
need_debian()
{
    SUITE=${1#debian:}
    SUITE=${SUITE%-slim}
    [[ $1 == debian:*-slim && $SUITE =~ ^[a-z]+$ ]] || fail "FROM: found '$1'; accepted: debian:SUITE-slim"
    [[ -d $WORK/$SUITE ]] ||
        quietly install.log "installing Debian $SUITE" install_release "$SUITE" "$WORK/$SUITE"
}

# begin_stage IMAGE [AS NAME]: sets STAGE to its folder. That of a stage with a name stays, but for packages
# of another version.
begin_stage()
{
    local name=${3-last}
    need_debian "$1"
    STAGE=$WORK/stage-$name
    [[ $name != last ]] || rm -rf "$STAGE"
    [[ -d $STAGE ]] || cp -a "$WORK/$SUITE" "$STAGE"
    rm -rf "$STAGE/package"
}

# copy [--from=STAGE] FROM TO
copy()
{
    case $1 in
    --from=*) rm -rf "${STAGE:?}$3" && cp -a "$WORK/stage-${1#*=}$2" "$STAGE$3" ;;
    .)
        mkdir -p "$STAGE$2" # what was built there stays
        find "${STAGE:?}$2" -mindepth 1 -maxdepth 1 ! -name build -exec rm -rf {} +
        copy_repository "$STAGE$2"
        ;;
    *) fail "COPY: found '$*'; accepted: . FOLDER, or --from=STAGE FOLDER FOLDER" ;;
    esac
}

# build_image: stage by stage; RUNS counts what was run.
build_image()
{
    local instruction rest
    RUNS=0
    while read -r instruction rest; do
        # shellcheck disable=SC2086
        case $instruction in
        FROM) begin_stage $rest ;;
        COPY) copy $rest ;;
        RUN)
            quietly "run-$RUNS.log" "$rest" inside "$STAGE" sh -c "$rest" </dev/null
            RUNS=$((RUNS + 1))
            ;;
        WORKDIR) mkdir -p "$STAGE$rest" ;;
        '#'* | '' | ENTRYPOINT) ;;
        *) fail "found '$instruction', which this test does not know" ;;
        esac
    done <"$ROOT/Containerfile"
    [[ $RUNS -ge 2 ]] || fail "found $RUNS lines RUN"
    [[ ! -e $STAGE/dml && ! -e $STAGE/package ]] || fail "the last stage has the repository or the package"
    STUDY=$STAGE/study
    size=$(du -sm "$STAGE" | cut -f1)
}

images()
{
    podman --root "$WORK/images" --runroot "$WORK/run" "$@"
}

# import_debian IMAGE
import_debian()
{
    tar -C "$WORK/$SUITE" -cf - . | images import - "docker.io/library/$1"
}

# build_image_by_podman: on this machine's network, as what connects a container's need not be installed.
build_image_by_podman()
{
    local image from
    mapfile -t from < <(sed -n 's/^FROM \([^ ]*\).*/\1/p' "$ROOT/Containerfile" | sort -u)
    for image in "${from[@]}"; do
        need_debian "$image"
        images image exists "$image" || quietly import.log "importing $image" import_debian "$image"
    done
    quietly image.log "podman build" images build --network host -t dml "$ROOT"
    images image prune -f >/dev/null # what the image of a run before has left
    images run --rm --network none --entrypoint ls dml / >"$WORK/list"
    ! grep -xE 'dml|package' "$WORK/list" || fail "the image has the repository or the package"
    STUDY=$WORK/study
    rm -rf "$STUDY" && mkdir "$STUDY"
    size=$(($(images image inspect --format '{{.Size}}' dml) / 1000000))
}

# user COMMAND...: in a folder of the image's, as one who is not root. Containers need no network.
user()
{
    if [[ -n $ENGINE ]]; then
        images run --rm --network none --user 1000:1000 -v "$STUDY:/study" dml "${@:2}" </dev/null
    else
        inside "$STAGE" setpriv --reuid=1000 --regid=1000 --clear-groups \
            env -C /study HOME=/tmp "$@" </dev/null
    fi
}

# says TEXT COMMAND...: it succeeds and prints TEXT
says()
{
    local text=$1 out
    shift
    out=$(user "$@" 2>&1) || fail "$*: $out"
    grep -qF -- "$text" <<<"$out" || fail "$*: no '$text' in: $out"
}

# What a user does who has the package only.
use_image()
{
    local file
    cp "$DATA"/tiny.yaml "$DATA"/tiny.profile.yaml "$DATA/traces/small-cnn.kineto.json.gz" "$STUDY"
    chown -R 1000:1000 "$STUDY"
    says "dml   $(<"$ROOT/VERSION")" dml --version
    says "fair-share" dml check tiny.yaml
    says "samples/s" dml run tiny.yaml --out results --set output.plots=true
    for file in summary.json throughput.csv report.html throughput.svg; do
        [[ -s $STUDY/results/$file ]] || fail "dml run wrote no $file"
    done
    says "small.yaml" dml import auto small-cnn.kineto.json.gz -o small.yaml
    says "alexnet" dml run --out flagship --engine=fair-share --set job.workers=1 --set replications=1
}

# What a user needs who compiles: the packages that ours suggests.
compile_examples()
{
    local suggested
    suggested=$(inside "$STAGE" dpkg-query -W -f '${Suggests}' dml)
    quietly suggested.log "installing what the package suggests: $suggested" inside "$STAGE" \
        sh -c "apt-get update && apt-get install -y --no-install-recommends ${suggested//,/}" </dev/null
    # shellcheck disable=SC2016
    quietly examples.log "compiling the installed examples" inside "$STAGE" sh -ec \
        'for example in /usr/share/doc/dml/examples/*.cc; do g++ -fsyntax-only $(pkg-config --cflags dml) "$example"; done' \
        </dev/null
}

# The same bytes as this machine's program writes.
compare_results()
{
    local file
    (cd "$DATA" && "$ROOT/build/dml" run tiny.yaml --out "$WORK/results" --force) >"$WORK/here.log" 2>&1 ||
        fail "$(<"$WORK/here.log")"
    for file in steps.csv transfers.csv throughput.csv; do
        cmp "$WORK/results/$file" "$STUDY/results/$file" || fail "other results than here"
    done
}

# Images of containers have no manual pages, and so no man.
read_manual()
{
    quietly man.log "installing man" inside "$STAGE" \
        sh -c 'apt-get update && apt-get install -y --no-install-recommends man-db' </dev/null
    says "dml fit-overhead" env MANWIDTH=80 man dml
}

mkdir -p "$WORK"
if [[ -n $ENGINE ]]; then
    build_image_by_podman
    use_image
    compare_results
    say "Containerfile: podman made an image of $size MB, and it was used"
else
    build_image
    use_image
    compare_results
    read_manual
    compile_examples
    say "Containerfile: $RUNS lines RUN, $size MB; the package was installed and used"
fi
