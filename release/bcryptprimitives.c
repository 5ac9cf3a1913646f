// Random bytes as programs in Rust (safetensors, polars) ask Windows for them: Wine 8 has no such library. For tests
// only.
#include <stddef.h>

unsigned char __stdcall SystemFunction036(void* data, unsigned long size);  // RtlGenRandom of advapi32

__declspec(dllexport) int __stdcall ProcessPrng(unsigned char* data, size_t size) {
    return SystemFunction036(data, (unsigned long)size);
}
