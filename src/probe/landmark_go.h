/* landmark_go - the landmarks of programs in Go (landmark.h): where its run-time system
 * shows that calls are left by a panic, and that a goroutine ends. */
#ifndef SONDE_PROBE_LANDMARK_GO_H
#define SONDE_PROBE_LANDMARK_GO_H

#include "probe/decoder.h"
#include "probe/landmark.h"

/* None where the image has no code in Go, or its calls cannot be told by goroutine. */
void landmarks_find_go(struct code_image *image, struct decoder *decoder,
		       struct landmarks *ret);

#endif
