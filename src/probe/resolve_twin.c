/* The other half of resolve_test.c: a static function of a name that is there
 * too. */
int twin_caller(int x);

__attribute__((noinline)) static int twin(int x)
{
	__asm__ volatile("" : "+r"(x));
	return x + 2;
}

int twin_caller(int x)
{
	return twin(x) * 3;
}
