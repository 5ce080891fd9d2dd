# A text file as the lines of a C string.
s/\\/\\\\/g
s/"/\\"/g
s/.*/"&\\n"/
