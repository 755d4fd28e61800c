# assay_add_plugin(NAME SOURCES ... MANIFEST manifest.json.in [STANDARD 17] [LIBRARIES ...] [FOLDER folder])
#
# The one place that knows how a plugin is built: a MODULE without `lib` prefix that exports `assay_plugin_entry` and nothing
# else, its manifest beside it, and its place in the build and install trees: <plugins>/<NAME>/{NAME.so,manifest.json}.
# FOLDER puts the plugin elsewhere in the build tree and leaves it out of the install tree, as tests need it.
# In the manifest template, @ASSAY_PLUGIN_LIBRARY@ is the file name of the library, @ASSAY_PLUGIN_PLATFORM@ the platform.

include(GNUInstallDirs)
include(${CMAKE_CURRENT_LIST_DIR}/AssayTarget.cmake)
get_filename_component(ASSAY_CMAKE_DIR ${CMAKE_CURRENT_LIST_DIR} ABSOLUTE)
set(ASSAY_PLUGIN_OUTPUT_DIR ${PROJECT_BINARY_DIR}/lib/assay/plugins)
if(NOT TARGET assay_plugins)
  add_custom_target(assay_plugins) # every plugin that is installed
endif()

function(assay_add_plugin name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "MANIFEST;STANDARD;FOLDER" "SOURCES;LIBRARIES")
  if(NOT arg_STANDARD)
    set(arg_STANDARD 17)
  endif()
  set(folder ${ASSAY_PLUGIN_OUTPUT_DIR}/${name})
  if(arg_FOLDER)
    set(folder ${arg_FOLDER})
  endif()

  add_library(${name} MODULE ${arg_SOURCES})
  assay_target_defaults(${name} ${arg_STANDARD})
  # The SDK is C++; a plugin in C has the headers of the boundary.
  if(TARGET assay::sdk)
    target_link_libraries(${name} PRIVATE assay::sdk)
  else()
    target_link_libraries(${name} PRIVATE assay::abi)
  endif()
  target_link_libraries(${name} PRIVATE ${arg_LIBRARIES})
  set_target_properties(
    ${name}
    PROPERTIES PREFIX ""
               CXX_VISIBILITY_PRESET hidden
               C_VISIBILITY_PRESET hidden
               VISIBILITY_INLINES_HIDDEN ON
               LIBRARY_OUTPUT_DIRECTORY ${folder}
               INSTALL_RPATH "$ORIGIN")
  # Hidden visibility alone leaves template and unique symbols that keep the library loaded after dlclose.
  set(exports ${ASSAY_CMAKE_DIR}/plugin_exports.map)
  target_link_options(${name} PRIVATE -Wl,--version-script=${exports} -Wl,--exclude-libs,ALL)
  if(NOT ASSAY_SANITIZE)
    target_link_options(${name} PRIVATE -Wl,-z,defs)
  endif()
  set_property(TARGET ${name} APPEND PROPERTY LINK_DEPENDS ${exports})

  set(ASSAY_PLUGIN_LIBRARY ${name}.so)
  string(TOLOWER ${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR} ASSAY_PLUGIN_PLATFORM)
  configure_file(${arg_MANIFEST} ${folder}/manifest.json @ONLY)

  if(arg_FOLDER)
    return()
  endif()
  add_dependencies(assay_plugins ${name})
  install(TARGETS ${name} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/assay/plugins/${name} COMPONENT host)
  install(FILES ${folder}/manifest.json DESTINATION ${CMAKE_INSTALL_LIBDIR}/assay/plugins/${name} COMPONENT host)
  if(COMMAND assay_summary)
    assay_summary("plugin ${name}" "yes")
  endif()
endfunction()

# assay_add_conformance_test(NAME [CONFIG json]): a test that the plugin NAME keeps the rules of docs/plugin-rules.md. CONFIG is the
# configuration of its components.
function(assay_add_conformance_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "CONFIG" "")
  if(NOT arg_CONFIG)
    set(arg_CONFIG "{}")
  endif()
  add_test(NAME ${name}.conforms COMMAND assay::validator plugins validate $<TARGET_FILE:${name}> --config ${arg_CONFIG})
  set_tests_properties(${name}.conforms PROPERTIES LABELS conformance)
endfunction()

# assay_add_plugin_tests(): the `tests` folder beside the calling CMakeLists.txt, added once the test helpers exist.
function(assay_add_plugin_tests)
  set_property(GLOBAL APPEND PROPERTY ASSAY_PLUGIN_TEST_FOLDERS ${CMAKE_CURRENT_SOURCE_DIR}/tests)
endfunction()
