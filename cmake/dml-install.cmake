# What "cmake --install" copies, and the Debian package that CPack makes of it. Programs find the library,
# and both what else there is, from where they are: a tree that is moved or unpacked anywhere runs.
# Headers are in a folder of their own, the library in one of Debian's private ones: its interface has no
# version of its own, so nothing else shall link to it by accident. In Debian's lib/x86_64-linux-gnu, where
# CPack, unlike in lib itself, does not take it for one that ldconfig has to know.

set(_private lib/${CMAKE_LIBRARY_ARCHITECTURE}/dml)
install(TARGETS dml-program RUNTIME DESTINATION bin)
set_target_properties(dml-program PROPERTIES INSTALL_RPATH "$ORIGIN/../${_private}")
foreach(_library IN ITEMS dml dml-netanim dml-grpc dml-gloo)
    if(TARGET ${_library})
        install(TARGETS ${_library} LIBRARY DESTINATION ${_private})
        set_target_properties(${_library} PROPERTIES INSTALL_RPATH "$ORIGIN")
    endif()
endforeach()
install(FILES ${DML_PUBLIC_HEADERS} DESTINATION include/dml/ns3)
install(FILES completion/dml.bash DESTINATION share/bash-completion/completions RENAME dml)
install(DIRECTORY scenarios DESTINATION share/dml)
install(FILES README.md CHANGES.md CITATION.cff cmake/package/copyright DESTINATION share/doc/dml)
install(DIRECTORY doc DESTINATION share/doc/dml
        FILES_MATCHING
        PATTERN "*.rst"
        PATTERN "*.svg"
        PATTERN "scenario.schema.json"
        PATTERN data EXCLUDE
)
install(FILES ${DML_EXAMPLES} ${DML_EXAMPLE_PLUGINS} DESTINATION share/doc/dml/examples)
# The manual page and Debian's changelog, which tell the version.
install(CODE "execute_process(
    COMMAND \"${PROJECT_SOURCE_DIR}/cmake/package/write-pages.sh\" \"$<TARGET_FILE:dml-program>\"
            \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/share\" COMMAND_ERROR_IS_FATAL ANY)"
)
# Installing builds no tests and examples.
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_VERSION ${DML_VERSION})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE
)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR})
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "gnuplot-nox, iproute2")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "g++, libns3-dev")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "predict the throughput of data-parallel DNN training")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
    "A training job is measured on one worker; dml tells how fast it trains with
more of them on a given network, with parameter servers or all-reduce: by an
analytical engine at the level of ops, in ns-3 packet by packet, and as real
processes in network namespaces.
.
The scenarios of dml's manual are in /usr/share/dml, headers for classes of
your own in /usr/include/dml."
)
# cmake/package/make.sh says who makes the package.
set(CPACK_PACKAGE_CONTACT nobody)
include(CPack)
