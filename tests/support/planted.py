# SPDX-License-Identifier: MIT
"""What is said of the ops of tests/c/clients/buggy_ops.c."""

# The host cannot know which attributes an op should read.
SAID = {
    "WritesAfterOutput": "it wrote beyond output 0 of 24 bytes: bytes 24 to 27",
    "WritesBeforeOutput": "it wrote beyond output 0 of 24 bytes: bytes -4 to -1",
    "WritesDoubles": "it wrote beyond output 0 of 24 bytes: bytes 24 to 47",
    "WritesAfterInput": "it wrote beyond input 0 of 24 bytes: bytes 24 to 27",
    "WritesToInput": "it wrote to input 0, at element 1",
    "WritesAfterScratch": "it wrote beyond memory that it took: a block of 24 bytes",
    "ReadsAfterInput": "where the memory after each block is closed to reads and writes",
    "ReadsFirstInput": "called again with the same inputs, it computes another output 0",
    "LeavesLast": "it did not write element 5 of output 0",
    "SaysOtherShape": "its shape inference says [2, 3, 0] for output 0, and it made [2, 3]",
    "UsesLastAlpha": "after kernels with other attributes were made, it computes another output 0",
    "Counts": "called again with the same inputs, it computes another output 0",
    "CountsForAll": "called again with the same inputs, it computes another output 0",
    "SharesScratch": "on two threads at the same time, with inputs float32[",
    "Crashes": "it crashes (SIGSEGV); it printed: about to crash, with inputs float32[2, 3]",
    "CrashesOnEmpty": "it crashes (SIGSEGV), with inputs float32[0]",
    "CrashesAtEnd": "it crashes (SIGABRT), while a kernel is made with attributes {}",
    "Hangs": "it does not return within 2 seconds, with inputs float32[2, 3]",
    "LoopsOnEmpty": "it does not return within 2 seconds, with inputs float32[0]",
    "LacksDestroy": "KernelDestroy is NULL, which ONNX Runtime calls",
    "Throws": "with whatever inputs, an exception left the op, which can answer a status",
    "LeaksInfo": "200 calls of its kernel leave 200 of kind 'tensor type and shape info'",
    "LeaksStatus": "200 kernels that were made and destroyed leave 200 of kind 'status'",
    "LeaksMemory": "200 calls of its kernel leave ",
    "KeepsBlock": "200 calls of its kernel leave 819200 bytes of the kernel's allocator",
    "DestroysNothing": "200 kernels that were made and destroyed leave ",
}
