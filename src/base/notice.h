/*
 * notice - says what is being waited for, when that takes longer than a second.
 *
 * A thread shows it as progress (base/log), with the seconds that have passed: whoever works
 * need not think of it.  Progress that is shown by anybody else goes first.  Only commands
 * (cmd/, session/) print.
 */
#ifndef SONDE_BASE_NOTICE_H
#define SONDE_BASE_NOTICE_H

/* What is done from now on, "reading symbols"; the caller's until notice_end().  Begun again
 * within, it is what was begun first that is shown.  From one thread at a time. */
void notice_begin(const char *what);
void notice_end(void);

#endif
