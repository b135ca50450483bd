/* SPDX-License-Identifier: MIT */
/** @file cpu.h The hardware and the execution provider that are always there. */
#ifndef ORTCFFI_CPU_H_
#define ORTCFFI_CPU_H_

#include "ep/devices.h"

/** Makes the device that stands for the machine's CPU. */
OrtStatus* core_find_cpu(OrtHardwareDevice** out);

/** The factory of the CPU's execution provider. It has no state. */
extern OrtEpFactory core_cpu_factory;

#endif /* ORTCFFI_CPU_H_ */
