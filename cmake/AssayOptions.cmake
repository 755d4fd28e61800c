# What is built, and the settings that every target of the project shares.

option(ASSAY_BUILD_TESTS "Build the tests" ${PROJECT_IS_TOP_LEVEL})
option(ASSAY_BUILD_BENCHMARKS "Build the benchmarks" ${PROJECT_IS_TOP_LEVEL})
option(ASSAY_BUILD_PLUGINS "Build the plugins and framework adapters" ${PROJECT_IS_TOP_LEVEL})
option(ASSAY_BUILD_FUZZERS "Build the fuzz targets; needs clang" OFF)
option(ASSAY_WARNINGS_AS_ERRORS "Treat compiler warnings as errors" OFF)
set(ASSAY_SANITIZE "" CACHE STRING "Sanitizers to build with, such as address,undefined or thread")
set(ASSAY_PLUGIN_TORCH AUTO CACHE STRING "Build the LibTorch adapter: AUTO, ON or OFF")
set_property(CACHE ASSAY_PLUGIN_TORCH PROPERTY STRINGS AUTO ON OFF)
set(ASSAY_TORCH_DIR "" CACHE PATH "Folder of a PyTorch wheel (<site-packages>/torch) to build against; empty: the system's LibTorch")

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release)
endif()

find_program(ASSAY_CCACHE ccache)
if(ASSAY_CCACHE)
  set(CMAKE_C_COMPILER_LAUNCHER ${ASSAY_CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${ASSAY_CCACHE})
endif()

set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

if(ASSAY_SANITIZE)
  add_compile_options(-fsanitize=${ASSAY_SANITIZE} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${ASSAY_SANITIZE})
endif()

include(AssayTarget)

# Lines of the table printed at the end of configuring: what is built and why not.
function(assay_summary name state)
  set_property(GLOBAL APPEND PROPERTY ASSAY_SUMMARY "${name}: ${state}")
endfunction()

function(assay_print_summary)
  get_property(lines GLOBAL PROPERTY ASSAY_SUMMARY)
  message(STATUS "assay ${PROJECT_VERSION} builds:")
  foreach(line IN LISTS lines)
    message(STATUS "  ${line}")
  endforeach()
endfunction()
