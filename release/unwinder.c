// Stands for the libgcc_s.so.1 of every Linux when zig links. Else zig links an unwinder of its own, and a process
// crashes when Python ends a thread that is in the core: the C library does that by the system's unwinder, and the two
// do not understand each other's frames.
#define STUB(name) \
    void name(void) {}
STUB(_Unwind_DeleteException)
STUB(_Unwind_GetIP)
STUB(_Unwind_GetLanguageSpecificData)
STUB(_Unwind_GetRegionStart)
STUB(_Unwind_RaiseException)
STUB(_Unwind_Resume)
STUB(_Unwind_SetGR)
STUB(_Unwind_SetIP)
