/* SPDX-License-Identifier: MIT */
#include "object/keyed_list.h"

#include "platform/platform.h"

struct sip {
  uint64_t a, b, c, d;
};

static uint64_t rotate(uint64_t word, unsigned by) { return word << by | word >> (64 - by); }

static void mix(struct sip* s) {
  s->a += s->b;
  s->c += s->d;
  s->b = rotate(s->b, 13) ^ s->a;
  s->d = rotate(s->d, 16) ^ s->c;
  s->a = rotate(s->a, 32);
  s->c += s->b;
  s->a += s->d;
  s->b = rotate(s->b, 17) ^ s->c;
  s->d = rotate(s->d, 21) ^ s->a;
  s->c = rotate(s->c, 32);
}

static uint64_t sip_hash(uint64_t key, uint64_t other, const void* bytes, size_t size) {
  struct sip s = {key ^ 0x736f6d6570736575, other ^ 0x646f72616e646f6d, key ^ 0x6c7967656e657261,
                  other ^ 0x7465646279746573};
  const uint8_t* at = bytes;
  uint64_t word, last = (uint64_t)size << 56;
  for (; size >= sizeof word; size -= sizeof word, at += sizeof word) {
    memcpy(&word, at, sizeof word);
    s.d ^= word;
    mix(&s);
    s.a ^= word;
  }
  for (size_t i = 0; i < size; i++) {
    last |= (uint64_t)at[i] << (8 * i);
  }
  s.d ^= last;
  mix(&s);
  s.a ^= last;
  s.c ^= 0xff;
  mix(&s);
  mix(&s);
  mix(&s);
  return s.a ^ s.b ^ s.c ^ s.d;
}

/* Made of the time and of addresses, which differ in each process. Never 0, which stands for no key
 * yet. Where two threads draw at once, the first one's key counts. */
static uint64_t draw_key(void) {
  static uint64_t drawn;
  uint64_t key = __atomic_load_n(&drawn, __ATOMIC_RELAXED), none = 0;
  if (key != 0) {
    return key;
  }
  char now[CORE_LOCAL_TIME] = {0};
  core_local_time(now);
  key = sip_hash((uintptr_t)&drawn, (uintptr_t)now, now, sizeof now) | 1;
  return __atomic_compare_exchange_n(&drawn, &none, key, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)
             ? key
             : none;
}

uint32_t core_hash(const void* bytes, size_t size) {
  uint64_t key = draw_key();
  return (uint32_t)sip_hash(key, ~key, bytes, size);
}
