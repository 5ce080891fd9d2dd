/*
 * inline_known - what has been read of the units so far, and what their entries
 * are called.  Used by inline.c and inline_list.c only.
 */
#ifndef SONDE_ELF_INLINE_KNOWN_H
#define SONDE_ELF_INLINE_KNOWN_H

#include "base/intern.h"
#include "elf/dwarf_rows.h"
#include "elf/inline.h"
#include "elf/inline_path.h"
#include "elf/inline_scope.h"

/* What is known of one unit. */
struct known {
	const struct unit *unit;
	struct scopes scopes;
	struct line_rows rows, files; /* files: only the tables of files */
	struct paths paths;
	bool scopes_read, rows_read, files_read, has_files;
};

/* What an entry is called and where it is defined. */
struct called {
	text_id raw, name, file;
	uint32_t line;
};

struct inlines {
	const struct image *image;
	nsec budget, spent;
	bool opened;
	uint64_t lowest; /* address of code */
	struct units units;
	ARRAY(struct known) known;
	struct table of_unit; /* address of a unit: index of what is known */
	ARRAY(struct called) called;
	struct table of_die; /* an entry: index of what it is called */
	struct intern text;
	struct text scratch;
	uint64_t remembered;
	struct table copies; /* text_id of a function: how often it is inlined */
	bool counted;
};

/* What is known of a unit, valid until the next call. */
struct known *known_of(struct inlines *l, const struct unit *u);
/* Its scopes; its line table.  -EAGAIN: the time is up.  Without a line table
 * there are no rows. */
int know_scopes(struct inlines *l, struct known *k);
int know_rows(struct inlines *l, struct known *k);
/* Only the tables of files and folders: -EINVAL if there are none. */
int know_files(struct inlines *l, struct known *k);
/* The path of a file by its number in the unit's line table. */
text_id file_of(struct inlines *l, const struct unit *u, uint64_t number);
/* What an entry is called.  -EAGAIN: the time is up. */
int called_of(struct inlines *l, struct die_place place, struct called *ret);
/* Forgets the units when too much is known, never what entries are called. */
void known_trim(struct inlines *l);
void known_done(struct inlines *l);

/* Before each question: opens what is needed and sets the deadline.  1; 0: there
 * is nothing to ask; -EAGAIN. */
int inlines_begin(struct inlines *l, nsec now);

#endif
