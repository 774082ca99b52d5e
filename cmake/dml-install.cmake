# What "cmake --install" copies, and the Debian package that CPack makes of it. Programs find the library,
# and both what else there is, from where they are: a tree that is moved or unpacked anywhere runs.
# Headers are in a folder of their own, the library in one of Debian's private ones: its interface has no
# version of its own, so that scripts link to it by dmlConfig.cmake or dml.pc, which know with which ns-3.
# In Debian's lib/x86_64-linux-gnu, where CPack, unlike in lib itself, does not take it for one that ldconfig has
# to know; GNUInstallDirs chooses that for /usr only.

if(NOT DEFINED CMAKE_INSTALL_LIBDIR AND CMAKE_LIBRARY_ARCHITECTURE)
    set(CMAKE_INSTALL_LIBDIR lib/${CMAKE_LIBRARY_ARCHITECTURE} CACHE PATH "Folder of libraries")
endif()
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(_private ${CMAKE_INSTALL_LIBDIR}/dml)
set(_data ${CMAKE_INSTALL_DATADIR}/dml)
set(_package ${CMAKE_INSTALL_LIBDIR}/cmake/dml)
file(RELATIVE_PATH _to_private ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR}/dml)
file(RELATIVE_PATH _to_data ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_DATADIR}/dml)
set_property(
    SOURCE program/cli/dml-command.cc APPEND PROPERTY COMPILE_DEFINITIONS DML_DATA_FOLDER="${_to_data}"
)

install(TARGETS dml-program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
set_target_properties(dml-program PROPERTIES INSTALL_RPATH "$ORIGIN/${_to_private}")
install(TARGETS dml EXPORT dml LIBRARY DESTINATION ${_private})
set_target_properties(dml PROPERTIES INSTALL_RPATH "$ORIGIN")
foreach(_library IN ITEMS dml-netanim dml-grpc dml-gloo)
    if(TARGET ${_library})
        install(TARGETS ${_library} LIBRARY DESTINATION ${_private})
        set_target_properties(${_library} PROPERTIES INSTALL_RPATH "$ORIGIN")
    endif()
endforeach()
install(FILES ${DML_PUBLIC_HEADERS} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/dml/ns3)
install(FILES completion/dml.bash
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME dml
)
install(DIRECTORY scenarios DESTINATION ${_data})
install(FILES README.md CHANGES.md CITATION.cff cmake/package/copyright
        DESTINATION ${CMAKE_INSTALL_DOCDIR}
)
install(DIRECTORY doc DESTINATION ${CMAKE_INSTALL_DOCDIR}
        FILES_MATCHING
        PATTERN "*.rst"
        PATTERN "*.svg"
        PATTERN "scenario.schema.json"
        PATTERN data EXCLUDE
)
# Those that a user can compile: the program has headers that are not installed.
set(_examples ${DML_EXAMPLES} ${DML_EXAMPLE_PLUGINS})
list(REMOVE_ITEM _examples examples/dml.cc)
install(FILES ${_examples} DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples)
# The manual page and Debian's changelog, which tell the version.
install(CODE "execute_process(
    COMMAND \"${PROJECT_SOURCE_DIR}/cmake/package/write-pages.sh\" \"$<TARGET_FILE:dml-program>\"
            \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_MANDIR}\"
            \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DOCDIR}\" COMMAND_ERROR_IS_FATAL ANY)"
)

# For scripts of one's own: find_package(dml) and pkg-config. They are compiled as dml was, for the same ns-3.
target_include_directories(dml INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/dml>)
target_compile_features(dml INTERFACE cxx_std_${CMAKE_CXX_STANDARD})
set(_flags)
if(DML_NS3_LOGS)
    target_compile_definitions(dml INTERFACE $<INSTALL_INTERFACE:NS3_LOG_ENABLE>)
    set(_flags -DNS3_LOG_ENABLE)
endif()
install(EXPORT dml NAMESPACE dml:: FILE dmlTargets.cmake DESTINATION ${_package})
# The same of this folder, for scripts that use what was built: -Ddml_DIR=build.
export(EXPORT dml NAMESPACE dml:: FILE ${PROJECT_BINARY_DIR}/dmlTargets.cmake)
configure_file(cmake/dml-ns3-targets.cmake ${PROJECT_BINARY_DIR}/dml-ns3-targets.cmake COPYONLY)
configure_package_config_file(
    cmake/package/dmlConfig.cmake.in ${PROJECT_BINARY_DIR}/dmlConfig.cmake
    INSTALL_DESTINATION ${_package} NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO
)
write_basic_package_version_file(
    ${PROJECT_BINARY_DIR}/dmlConfigVersion.cmake VERSION ${DML_VERSION}
    COMPATIBILITY ExactVersion
)
install(FILES ${PROJECT_BINARY_DIR}/dmlConfig.cmake ${PROJECT_BINARY_DIR}/dmlConfigVersion.cmake
              cmake/dml-ns3-targets.cmake DESTINATION ${_package}
)
# Debian's own files of ns-3 for pkg-config name folders and libraries that are not there.
set(_ns3_libraries)
foreach(_target IN LISTS DML_NS3_TARGETS)
    get_target_property(_library ${_target} LOCATION)
    get_filename_component(_ns3_folder ${_library} DIRECTORY)
    string(APPEND _ns3_libraries " ${_library}")
endforeach()
file(REAL_PATH ${DML_NS3_INCLUDE_DIR} _ns3_include)
file(RELATIVE_PATH _to_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
configure_file(cmake/package/dml.pc.in dml.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/dml.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

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
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "cmake, g++, libboost-dev, libns3-dev, ns3, pkgconf")
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
