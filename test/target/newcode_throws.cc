/*
 * newcode_throws - the library of newcode that throws through calls.
 */
extern "C" {
void newcode_throw()
{
	throw 1;
}

int newcode_guard(unsigned long (*call)(void (*)()), void (*inside)())
{
	try {
		call(inside);
	} catch (int) {
		return 1;
	}
	return 0;
}
}
