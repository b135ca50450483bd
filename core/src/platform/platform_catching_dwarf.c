/* SPDX-License-Identifier: MIT */
/*
 * What is promised, and by whom. The Itanium C++ ABI, which all systems but Windows follow, says
 * how an unwinder asks a frame's personality (Level I), and what lies in front of a thrown object,
 * how the classes behind a type_info are laid out, and what begins and ends a catch (Level II). Not
 * in it are the dependent exceptions of std::rethrow_exception, where libstdc++ and libc++abi
 * differ: IS_LLVM tells them apart. Nor is a personality that leaves by longjmp; it is one that
 * never returns, which both unwinders allow, since they keep nothing that must be freed.
 *
 * A file in C++ with one `catch` would be shorter. But it needs a C++ library, which the core has
 * not, and catches only what was thrown through that one: a library that has brought its own, as
 * those of many providers do, throws past it.
 */
/* For dladdr. */
#define _GNU_SOURCE
#include "platform/catching.h"

#include <dlfcn.h>
#include <setjmp.h>
#include <unwind.h>

typedef struct _Unwind_Exception exception_header;

/* A running core_call_catching of this thread; the list starts with the innermost. */
struct catcher {
  jmp_buf back;
  struct catcher* outer;
  exception_header* caught;
};

static __thread struct catcher* newest CORE_TLS;

_Unwind_Reason_Code core_catch_personality(int version, _Unwind_Action actions,
                                           _Unwind_Exception_Class kind, exception_header* header,
                                           struct _Unwind_Context* context);

/* The unwinder calls this twice per exception: when it searches for a handler, and after it has
 * cleaned up the frames below. The second call stops the exception. It uses longjmp, which needs
 * nothing from the unwinder, because the core may not be linked with that; the target frame is
 * above this one. */
__attribute__((used)) _Unwind_Reason_Code core_catch_personality(int version,
                                                                 _Unwind_Action actions,
                                                                 _Unwind_Exception_Class kind,
                                                                 exception_header* header,
                                                                 struct _Unwind_Context* context) {
  /* Forced unwinding, as when a thread is cancelled, must not be stopped. */
  if ((actions & _UA_FORCE_UNWIND) != 0) {
    return _URC_CONTINUE_UNWIND;
  }
  if ((actions & _UA_SEARCH_PHASE) != 0) {
    return _URC_HANDLER_FOUND;
  }
  newest->caught = header;
  longjmp(newest->back, 1);
}

/* The directive applies to the enclosing function, which therefore must not be inlined. 0x1b: the
 * personality's address is relative to the field; 0x9b: the same, through a pointer. */
#if defined(__APPLE__)
#define PERSONALITY ".cfi_personality 0x9b, _core_catch_personality"
#else
#define PERSONALITY ".cfi_personality 0x1b, core_catch_personality"
#endif
static __attribute__((noinline)) void enter(void (*function)(void* argument), void* argument) {
  __asm__ volatile(PERSONALITY);
  function(argument);
  /* Prevents a tail call, which would have no frame. */
  __asm__ volatile("");
}

/* The Itanium C++ ABI, which all systems but Windows use, here with 64-bit pointers: the header of
 * an exception, and type_info. */

/* The eight bytes of the exception class: vendor and language. The last one marks a dependent
 * exception, as std::rethrow_exception makes it. */
#define IS_CXX(kind) (((kind) >> 8 & 0xFFFFFF) == 0x432B2B) /* "C++" */
#define IS_DEPENDENT(kind) (((kind) & 0xFF) == 1)
#define IS_LLVM(kind) ((kind) >> 32 == 0x434C4E47) /* "CLNG" */
/* How far before the unwind header __cxa_exception begins. Its first field is the type; in a
 * dependent exception it is the object, which LLVM's runtime has in front of the type. */
#define BEFORE_HEADER 80

struct type {
  void** functions;
  /** A leading '*' is not part of the name. */
  const char* name;
};
struct single_base {
  struct type type;
  const struct type* base;
};
struct several_bases {
  struct type type;
  unsigned flags;
  unsigned count;
  struct {
    const struct type* type;
    long offset_and_flags;
  } bases[];
};
enum { IS_VIRTUAL = 1, IS_PUBLIC = 2, OFFSET_SHIFT = 8 };

static const char* name_of(const struct type* type) { return type->name + (type->name[0] == '*'); }

static void* base_at(void* object, long offset_and_flags) {
  long offset = offset_and_flags >> OFFSET_SHIFT;
  if ((offset_and_flags & IS_VIRTUAL) != 0) {
    /* The offset of a virtual base is in the vtable. */
    memcpy(&offset, *(char**)object + offset, sizeof offset);
  }
  return (char*)object + offset;
}

/* Returns the std::exception base of an object; NULL if it has none. */
static void* standard_part(const struct type* type, void* object) {
  while (strcmp(name_of(type), "St9exception") != 0) {
    /* The kind of a type_info follows from the name of its own class. */
    const char* kind = name_of(((const struct type**)type->functions)[-1]);
    if (strcmp(kind, "N10__cxxabiv120__si_class_type_infoE") == 0) {
      type = ((const struct single_base*)type)->base;
      continue;
    }
    const struct several_bases* of = (const struct several_bases*)type;
    bool has_several = strcmp(kind, "N10__cxxabiv121__vmi_class_type_infoE") == 0;
    void* found = NULL;
    for (unsigned i = 0; has_several && found == NULL && i < of->count; i++) {
      long place = of->bases[i].offset_and_flags;
      found = (place & IS_PUBLIC) == 0 ? NULL
                                       : standard_part(of->bases[i].type, base_at(object, place));
    }
    return found;
  }
  return object;
}

/* Finds a function in the C++ runtime that made the exception; a process may have several. */
static void* function_of_maker(const exception_header* header, const char* name) {
  Dl_info maker;
  void* clean_up;
  memcpy(&clean_up, &header->exception_cleanup, sizeof clean_up);
  if (clean_up == NULL || dladdr(clean_up, &maker) == 0) {
    return NULL;
  }
  void* library = dlopen(maker.dli_fname, RTLD_NOW | RTLD_NOLOAD);
  void* function = dlsym(library != NULL ? library : RTLD_DEFAULT, name);
  if (library != NULL) {
    dlclose(library);
  }
  return function;
}

/* Reports a C++ exception by its what() or its type's name. */
static void report_cxx(exception_header* header, core_exception_report report, void* argument) {
  void** before = (void**)((char*)header - BEFORE_HEADER);
  void* object = header + 1;
  if (IS_DEPENDENT(header->exception_class)) {
    object = IS_LLVM(header->exception_class) ? before[-1] : before[0];
  }
  const struct type* type = *(const struct type**)((char*)object - sizeof *header - BEFORE_HEADER);
  void* standard = standard_part(type, object);
  if (standard != NULL) {
    /* what() follows the two destructors in the vtable. */
    const char* (*what)(const void*);
    memcpy(&what, &(*(void***)standard)[2], sizeof what);
    report(argument, what(standard));
    return;
  }
  char text[256];
  if (strcmp(name_of(type), "PKc") == 0 || strcmp(name_of(type), "Pc") == 0) {
    const char* thrown = *(const char**)object;
    snprintf(text, sizeof text, "%s", thrown != NULL ? thrown : "NULL was thrown");
  } else {
    snprintf(text, sizeof text, "an exception that is no std::exception, of the C++ type %s",
             name_of(type));
  }
  report(argument, text);
}

/* Destroys an exception, through the runtime that made it, since that counts uncaught exceptions.
 */
static void finish(exception_header* header) {
  void* begin_symbol = function_of_maker(header, "__cxa_begin_catch");
  void* end_symbol = function_of_maker(header, "__cxa_end_catch");
  if (begin_symbol != NULL && end_symbol != NULL) {
    void* (*begin_catch)(void*);
    void (*end_catch)(void);
    memcpy(&begin_catch, &begin_symbol, sizeof begin_symbol);
    memcpy(&end_catch, &end_symbol, sizeof end_symbol);
    begin_catch(header);
    end_catch();
  } else if (header->exception_cleanup != NULL) {
    header->exception_cleanup(_URC_FOREIGN_EXCEPTION_CAUGHT, header);
  }
}

bool core_call_catching(void (*function)(void* argument), void* argument,
                        core_exception_report report) {
  struct catcher catcher; /* not zeroed, which would take longer than all else here */
  catcher.outer = newest;
  newest = &catcher;
  if (_setjmp(catcher.back) == 0) {
    enter(function, argument);
    newest = catcher.outer;
    return true;
  }
  newest = catcher.outer;
  if (IS_CXX(catcher.caught->exception_class) && sizeof(void*) == 8) {
    report_cxx(catcher.caught, report, argument);
  } else {
    report(argument, "an exception that is not of C++");
  }
  finish(catcher.caught);
  return false;
}
