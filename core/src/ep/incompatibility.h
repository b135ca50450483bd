/* SPDX-License-Identifier: MIT */
/** @file incompatibility.h Asks a factory why it cannot use a piece of hardware. */
#ifndef ORTCFFI_INCOMPATIBILITY_H_
#define ORTCFFI_INCOMPATIBILITY_H_

#include "ep/devices.h"

/** Makes the answer, in which nothing is wrong where the factory has no function for it. */
OrtStatus* core_ask_incompatibility(OrtEpFactory* factory, const OrtHardwareDevice* hardware,
                                    OrtDeviceEpIncompatibilityDetails** out);

#endif /* ORTCFFI_INCOMPATIBILITY_H_ */
