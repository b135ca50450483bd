/* SPDX-License-Identifier: MIT */
/**
 * @file ortcore.h
 * What ortcffi's core offers beside the API: hosts of older API versions, traces, the environment's
 * logger.
 *
 * Nothing here is exported. Each function is found by its name, through a slot of the table:
 *
 *     OrtcoreEmulate emulate =
 *         (OrtcoreEmulate)api->GetExperimentalFunction(ORTCORE_EMULATE);
 *
 * Other libraries answer NULL to these names. Any thread may call any function.
 */
#ifndef ORTCORE_H_
#define ORTCORE_H_

#include "onnxruntime_c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

/** @name Older hosts
 * A library is older or newer than its clients. To see what a client does about that, give it the
 * base of a host of another age: to RegisterCustomOps, say, in the place of OrtGetApiBase().
 * @{ */

#define ORTCORE_EMULATE "ortcore_emulate"

/**
 * The base of a host that is ONNX Runtime 1.version.0.
 *
 * GetApi answers NULL, with the line on stderr, to anything newer. The slots up to the version are
 * the core's own, and so are the objects that they make. A slot that came later, which a client
 * finds by reading on, answers ORT_NOT_IMPLEMENTED and names itself, the version that it came with,
 * and the host; without a status it answers zero or NULL. The tables that slots lead to, such as
 * GetModelEditorApi's, are those of version 30.
 *
 * @param version API version, from 1 to 30. 30 is the core itself.
 * @return A constant of the library; NULL for another version.
 */
typedef const OrtApiBase*(ORT_API_CALL* OrtcoreEmulate)(uint32_t version);
/** @} */

/** @name Traces
 * A trace stands before the table of a provider, passes each call on, and counts it by slot.
 * @{ */

/** The slots of OrtApi that a trace counts. */
#define ORTCORE_TRACED_SLOTS 426

/** What clients did. It may grow at any time. */
typedef struct OrtcoreFigures {
  /** Bit v: GetApi was asked for version v. The highest bit: for its number or more. */
  uint64_t asked;
  /** Calls of each slot. */
  uint64_t calls[ORTCORE_TRACED_SLOTS];
} OrtcoreFigures;

/** What clients are given. */
typedef struct OrtcoreTrace {
  /** For a client that takes a base. Its GetApi has the versions up to that of the trace. */
  const OrtApiBase* base;
  /** For a client that takes a table. All its slots can be called, as with an older host. */
  const OrtApi* api;
  /** Where the calls are counted. */
  OrtcoreFigures* figures;
} OrtcoreTrace;

#define ORTCORE_TRACE_BEGIN "ortcore_trace_begin"

/**
 * Begins to trace a table.
 *
 * @param[in] api The table, of any library, which must stay loaded. Borrowed.
 * @param[in] version The API version of the table: how many slots may be read. At most 30 are.
 * @param[in] version_string What the base's GetVersionString is to answer. Copied, up to 255 bytes.
 * @param[in,out] figures Where to count: memory that another process sees too, say. Set to zero.
 *     Borrowed while a client may still call the table, which can be after the end of the trace.
 *     NULL for memory of the core's, which is the trace's until its end.
 * @param[out] out The trace. Give it to OrtcoreTraceEnd.
 * @return NULL, or a status of the core: ORT_INVALID_ARGUMENT for a NULL argument, version 0 or a
 *     table that is itself a trace's, ORT_FAIL while two traces are open, which is as many as there
 *     can be.
 */
typedef OrtStatus*(ORT_API_CALL* OrtcoreTraceBegin)(const OrtApi* api, uint32_t version,
                                                    const char* version_string,
                                                    OrtcoreFigures* figures, OrtcoreTrace** out);

#define ORTCORE_TRACE_END "ortcore_trace_end"

/**
 * Ends a trace. A client that has kept the table can still call it, until another trace begins,
 * which may take the table over and pass its calls to another library.
 *
 * @param[in] trace The trace; not to be read any more. NULL does nothing.
 */
typedef void(ORT_API_CALL* OrtcoreTraceEnd)(OrtcoreTrace* trace);
/** @} */

/** @name The environment's logger
 * What sessions and kernels are lent by the API, without a session or a kernel.
 * @{ */

#define ORTCORE_LOGGER "ortcore_logger"

/** The default logger of the environment, valid while that lives; NULL where there is none. */
typedef const OrtLogger*(ORT_API_CALL* OrtcoreLogger)(void);

#define ORTCORE_LOG "ortcore_log"

/**
 * Logs a record as the library itself would, through the environment's logger: with the function
 * that the environment was created with, or else on stderr, unless the severity is too low. The
 * environment lives at least until the call ends.
 *
 * @param[in] severity Severity of the record.
 * @param[in] category UTF-8 name of the part that speaks. NULL for the library's own.
 * @param[in] location UTF-8 text, by custom "file:line function". May be NULL.
 * @param[in] message UTF-8 text, taken literally. May be NULL.
 * @return 0 where there is no environment, else 1.
 */
typedef int(ORT_API_CALL* OrtcoreLog)(OrtLoggingLevel severity, const char* category,
                                      const char* location, const char* message);
/** @} */

#ifdef __cplusplus
}
#endif

#endif /* ORTCORE_H_ */
