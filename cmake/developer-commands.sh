# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only
#
# To be sourced by the command dml: what those who work on dml do with it.

# run_fuzzer ARGUMENT...: tools/fuzz looks for inputs that break the readers; this builds its program.
run_fuzzer()
{
    need_packages "${RUN_PACKAGES[@]}" "${FUZZ_PACKAGES[@]}"
    need_build "$BUILD" dml
    need_build "$ROOT/build-fuzz" dml-fuzz -DDML_FUZZ=ON -DCMAKE_CXX_COMPILER=clang++-14 \
        -DDML_LIBRARY="$BUILD/libdml.so"
    exec "$ROOT/tools/fuzz" "$ROOT/build-fuzz/dml-fuzz" "$@"
}

# list_skipped LOG: what ctest has left out, or a test within itself, and why.
list_skipped()
{
    local line
    awk 'function add(reason) {
            sub(/^unit\.[0-9]+$/, "unit", test) # one of its shards
            if (!count[test, reason]++) { order[++last] = test SUBSEP reason }
        }
        /^[0-9]+\/[0-9]+ Testing: / { test = $3 }
        sub(/^skipped: /, "") { add($0) }
        match($0, / \.\.\. skipped ./) { add(substr($0, RSTART + RLENGTH, length($0) - RSTART - RLENGTH)) }
        match($0, /: Skipped$/) { getline; add($0) }
        END {
            for (i = 1; i <= last; ++i) {
                split(order[i], part, SUBSEP)
                times = count[order[i]] > 1 ? " (" count[order[i]] " times)" : ""
                print part[1] times ": " part[2]
            }
        }' "$1" | while read -r line; do
        say "not tested: $line"
    done
}

do_test()
{
    local folder=$BUILD target=all options=() tree running='' code=0
    case ${1-} in
    --in-tree | --in-tree=*)
        [[ $# -eq 1 ]] || { say "test --in-tree takes no further argument"; exit 2; }
        [[ $1 != --in-tree= ]] || { say "test --in-tree=: found nothing after '='"; exit 2; }
        tree=${1#--in-tree}
        need_packages "${RUN_PACKAGES[@]}" "${TREE_PACKAGES[@]}"
        exec "$ROOT/test/build/in-tree.sh" "$BUILD/in-tree" "${tree#=}"
        ;;
    --syntax | --syntax=*)
        [[ $# -eq 1 ]] || { say "test --syntax takes no further argument"; exit 2; }
        [[ $1 != --syntax= ]] || { say "test --syntax=: found nothing after '='"; exit 2; }
        tree=${1#--syntax}
        need_packages "${RUN_PACKAGES[@]}" python3
        exec "$ROOT/test/build/ns3-syntax.py" "$BUILD/syntax" ${tree:+"${tree#=}"}
        ;;
    --debian=*)
        [[ $# -eq 1 || $* == "$1 --suites" ]] || { say "test $1: found '${*:2}'; accepted: --suites"; exit 2; }
        [[ $1 != --debian= ]] || { say "test --debian=: found nothing after '='"; exit 2; }
        need_packages ns3 debootstrap
        exec "$ROOT/test/build/debian.sh" "$BUILD/debian" "${1#*=}" "${@:2}"
        ;;
    --package=podman)
        [[ $# -eq 1 ]] || { say "test $1 takes no further argument"; exit 2; }
        need_packages "${RUN_PACKAGES[@]}" debootstrap podman
        need_build "$BUILD" dml-program
        exec "$ROOT/test/build/package-in-debian.sh" "$BUILD/debian/package" podman
        ;;
    --package | --package=*)
        [[ $# -eq 1 ]] || { say "test --package takes no further argument"; exit 2; }
        [[ $1 == --package ]] || { say "test --package=: found '${1#*=}'; accepted: podman"; exit 2; }
        need_packages "${RUN_PACKAGES[@]}" "${DEB_PACKAGES[@]}" "${GRPC_PACKAGES[@]}" debootstrap lintian man-db
        need_build "$BUILD" dml-program -DDML_GRPC=ON
        "$ROOT/test/build/package-test.sh" "$BUILD/dml" package
        exec "$ROOT/test/build/package-in-debian.sh" "$BUILD/debian/package"
        ;;
    --fuzz)
        shift
        run_fuzzer "$@"
        ;;
    --sanitize)
        folder=$ROOT/build-sanitize
        options=(-DDML_SANITIZE=ON -DDML_EXAMPLES_ALL=OFF)
        # Deeper stacks of allocations go through ns-3, which has no frame pointers: no two are alike, and
        # keeping them takes three quarters of the time.
        export ASAN_OPTIONS=malloc_context_size=2:${ASAN_OPTIONS-}
        shift
        ;;
    --suites)
        [[ $# -eq 1 ]] || { say "test --suites takes no further argument"; exit 2; }
        target=dml-suite-tests
        options=(-DDML_EXAMPLES_ALL=OFF)
        set -- -R '^suite\.'
        ;;
    --no-examples)
        options=(-DDML_EXAMPLES_ALL=OFF)
        shift
        ;;
    esac
    [[ ${1-} != -- ]] || shift # ctest's own --help, too
    look_at_machine
    [[ -e $folder/test/dml-suite-tests ]] ||
        LATER="building the program and its tests, $(work_time "$(count_sources '[^/]+')" $FILE_TENTHS)"
    # Of others it is not known.
    [[ $# -gt 0 || $folder != "$BUILD" ]] || running="running them, $(work_time 1 $TESTS_TENTHS)"
    LATER="${LATER:+$LATER, and }${running-}"
    LATER+=${LATER:+ $(on_cores)}
    need_packages "${RUN_PACKAGES[@]}" "${TEST_PACKAGES[@]}" "${GRPC_PACKAGES[@]}" \
        -- "${GLOO_PACKAGES[@]}" "${STYLE_PACKAGES[@]}" "${SIMGRID_PACKAGES[@]}" "${MALLOC_PACKAGES[@]}"
    say_without "no collectives by Gloo" "${GLOO_PACKAGES[@]}"
    say_without "the style is not checked" "${STYLE_PACKAGES[@]}"
    say_without "nothing is compared with SimGrid" "${SIMGRID_PACKAGES[@]}"
    need_build "$folder" "$target" -DDML_TESTS=ON -DDML_GRPC=ON "${options[@]}"
    look_at_machine
    [[ -z ${running-} ]] || say "running the tests: $(work_time 1 $TESTS_TENTHS) $(on_cores)"
    ctest --test-dir "$folder" --output-on-failure --no-tests=error -j "$(nproc)" "$@" || code=$?
    list_skipped "$folder/Testing/Temporary/LastTest.log"
    return $code
}

# do_bench ARGUMENT...: tools/bench measures; this installs and builds what it needs.
do_bench()
{
    local argument rows
    need_packages python3
    # Says what is wrong with the arguments before anything is built.
    rows=$("$ROOT/tools/bench" --list "$@") || exit $?
    for argument in "$@"; do
        case $argument in
        --list | --from | --from=*) exec "$ROOT/tools/bench" "$@" ;;
        esac
    done
    [[ $rows == *simgrid* ]] || SIMGRID_PACKAGES=()
    MORE_PACKAGES=("${BENCH_PACKAGES[@]}")
    OPTIONAL_PACKAGES=("${SIMGRID_PACKAGES[@]}" "${MALLOC_PACKAGES[@]}")
    need_packages "${RUN_PACKAGES[@]}" "${MORE_PACKAGES[@]}" -- "${OPTIONAL_PACKAGES[@]}"
    say_without "the comparison with SimGrid is left out" "${SIMGRID_PACKAGES[@]}"
    # The optimised ns-3 is compared with the installed one where both are there.
    if [[ $rows == *optimized-ns3* && -e $BUILD/ns3-optimized/.complete ]]; then
        need_variant optimized dml-bench-packet
        need_variant default dml-bench-packet
    fi
    choose_variant
    # A build that was configured without these libraries looks for them again.
    [[ $VARIANT == default ]] && FOLDER=$BUILD || FOLDER=$ROOT/build-$VARIANT
    if grep -Eqs '^(benchmark_DIR|DML_SIMGRID_LIBRARY):.*-NOTFOUND$' "$FOLDER/CMakeCache.txt"; then
        cmake "$FOLDER" >/dev/null 2>&1 || rm -f "$FOLDER/build.ninja"
    fi
    need_variant "$VARIANT" dml-benchmarks
    exec "$ROOT/tools/bench" --build "$FOLDER" "$@"
}

# do_package [FOLDER]: of the build with Debian's ns-3, as others depend on the folder that they are in.
do_package()
{
    local folder=${1-$BUILD/package}
    if [[ $# -gt 1 || -z $folder || $folder == -* || (-e $folder && ! -d $folder) ]]; then
        say "package: found '$*'; accepted: a folder, which gets the package"
        exit 2
    fi
    need_packages "${RUN_PACKAGES[@]}" "${DEB_PACKAGES[@]}" "${GRPC_PACKAGES[@]}" \
        -- "${GLOO_PACKAGES[@]}" "${MALLOC_PACKAGES[@]}"
    say_without "no collectives by Gloo" "${GLOO_PACKAGES[@]}"
    say_without "packets take more time" "${MALLOC_PACKAGES[@]}"
    need_build "$BUILD" dml-program -DDML_GRPC=ON
    exec "$ROOT/cmake/package/make.sh" "$BUILD" "$folder"
}

# Renders doc/ as ns-3 would.
do_doc()
{
    local folder=$BUILD/doc
    need_packages "${DOC_PACKAGES[@]}"
    rm -rf "$folder/source"
    mkdir -p "$folder/source"
    cp -r "$ROOT"/doc/* "$folder/source"
    # ns-3 puts this file beside the model pages.
    echo '.. |ns3| replace:: *ns-3*' >"$folder/source/replace.txt"
    sphinx-build -q -C -b html -D project=dml -D root_doc=dml "$folder/source" "$folder/html" \
        >"$folder/sphinx.log" 2>&1 || fail_with_log "$folder/sphinx.log" "sphinx failed"
    echo "$folder/html/dml.html"
}
