/* SPDX-License-Identifier: MIT */
/* Parses ELF libraries of this machine's kind in memory. The input is untrusted: each offset is
 * checked against the size before it is read. */
#include "platform/private_copy.h"

#if defined(__linux__)
#include <link.h>

typedef ElfW(Ehdr) file_header;
typedef ElfW(Shdr) section;
typedef ElfW(Sym) symbol;
typedef ElfW(Dyn) entry;

#define CLASS (sizeof(void*) == 8 ? ELFCLASS64 : ELFCLASS32)
#define ORDER (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB)

struct image {
  const unsigned char* bytes;
  size_t size;
  file_header header;
};

/* Copies bytes from any offset; false if they are past the end. */
static bool read_at(const struct image* image, uint64_t offset, void* to, size_t size) {
  if (offset > image->size || size > image->size - offset) {
    return false;
  }
  memcpy(to, image->bytes + offset, size);
  return true;
}

static bool begin_image(struct image* image, const unsigned char* bytes, size_t size) {
  *image = (struct image){.bytes = bytes, .size = size};
  return read_at(image, 0, &image->header, sizeof image->header) &&
         memcmp(image->header.e_ident, ELFMAG, SELFMAG) == 0 &&
         image->header.e_ident[EI_CLASS] == CLASS && image->header.e_ident[EI_DATA] == ORDER &&
         image->header.e_shentsize == sizeof(section);
}

/* Reads the i-th section header; false if the section is not completely in the file. */
static bool section_at(const struct image* image, size_t i, section* out) {
  uint64_t offset = image->header.e_shoff;
  return i < image->header.e_shnum && offset < image->size &&
         read_at(image, offset + i * sizeof *out, out, sizeof *out) &&
         out->sh_offset <= image->size && out->sh_size <= image->size - out->sh_offset;
}

size_t core_elf_make_ordinary(unsigned char* bytes, size_t size) {
  struct image image;
  section symbols;
  size_t changed = 0;
  for (size_t i = 0; begin_image(&image, bytes, size) && i < image.header.e_shnum; i++) {
    bool is_table = section_at(&image, i, &symbols) && symbols.sh_type == SHT_DYNSYM;
    for (size_t at = 0; is_table && at + sizeof(symbol) <= symbols.sh_size; at += sizeof(symbol)) {
      unsigned char* info = bytes + symbols.sh_offset + at + offsetof(symbol, st_info);
      if (*info >> 4 == STB_GNU_UNIQUE) {
        *info = (unsigned char)(STB_GLOBAL << 4 | (*info & 0xF));
        changed++;
      }
    }
  }
  return changed;
}

/* Returns a string in a string table; NULL if it is not completely inside. */
static const char* text_at(const struct image* image, const section* texts, uint64_t offset) {
  if (offset >= texts->sh_size) {
    return NULL;
  }
  const unsigned char* text = image->bytes + texts->sh_offset + offset;
  return memchr(text, 0, texts->sh_size - offset) != NULL ? (const char*)text : NULL;
}

/* Calls `found` for each dependency in a section, with the search path `places`; without `found` it
 * returns the search path. */
static const char* walk(const struct image* image, const section* dynamic, const section* texts,
                        void (*found)(void* argument, const char* name, const char* places),
                        void* argument, const char* places) {
  entry one;
  for (size_t at = 0; at + sizeof one <= dynamic->sh_size; at += sizeof one) {
    read_at(image, dynamic->sh_offset + at, &one, sizeof one);
    if (one.d_tag == DT_NULL) {
      break;
    }
    const char* text = text_at(image, texts, one.d_un.d_val);
    if (text != NULL && found == NULL && (one.d_tag == DT_RUNPATH || one.d_tag == DT_RPATH)) {
      places = text;
    } else if (text != NULL && found != NULL && one.d_tag == DT_NEEDED) {
      found(argument, text, places);
    }
  }
  return places;
}

void core_elf_dependencies(const unsigned char* bytes, size_t size,
                           void (*found)(void* argument, const char* name, const char* places),
                           void* argument) {
  struct image image;
  section dynamic, texts;
  for (size_t i = 0; begin_image(&image, bytes, size) && i < image.header.e_shnum; i++) {
    if (section_at(&image, i, &dynamic) && dynamic.sh_type == SHT_DYNAMIC &&
        section_at(&image, dynamic.sh_link, &texts) && texts.sh_type == SHT_STRTAB) {
      const char* places = walk(&image, &dynamic, &texts, NULL, NULL, "");
      walk(&image, &dynamic, &texts, found, argument, places);
    }
  }
}
#endif
