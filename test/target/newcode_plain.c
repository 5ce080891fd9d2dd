/*
 * newcode_plain - the library of newcode that does no harm.
 */
int newcode_plain(int i);
int newcode_plain(int i)
{
	return i + 1;
}
