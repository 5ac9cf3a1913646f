# A toolchain for CMake: zig from pip, which is Clang with the C libraries of other systems. ZIG is its program, and ZIG_TARGET
# the system to compile for, such as aarch64-linux-gnu.2.28.
set(target $ENV{ZIG_TARGET})
if(target MATCHES "windows")
  set(CMAKE_SYSTEM_NAME Windows)
elseif(target MATCHES "macos")
  set(CMAKE_SYSTEM_NAME Darwin)
else()
  set(CMAKE_SYSTEM_NAME Linux)
endif()
string(REGEX MATCH "^[^-]+" CMAKE_SYSTEM_PROCESSOR "${target}")
set(CMAKE_CXX_COMPILER "$ENV{ZIG}" c++ "--target=${target}")
set(CMAKE_CXX_ARCHIVE_CREATE "\"$ENV{ZIG}\" ar qcs <TARGET> <OBJECTS>")
set(CMAKE_CXX_ARCHIVE_APPEND "\"$ENV{ZIG}\" ar qs <TARGET> <OBJECTS>")
set(CMAKE_CXX_ARCHIVE_FINISH "")
# Threads are in the C library. (The search of FindThreads compiles what zig refuses.)
set(CMAKE_HAVE_LIBC_PTHREAD ON)
# nanobind uses stdio without asking for it, and this C++ library does not bring it along.
set(CMAKE_CXX_FLAGS_INIT "-include stdio.h")
# Exceptions are unwound by the system's library, not by zig's; unwinder.c says why.
set(CMAKE_MODULE_LINKER_FLAGS_INIT "$ENV{ZIG_UNWINDER}")
