/*
 * cc_server - a server in C++ that answers by exceptions.
 *
 * Listens on 127.0.0.1; one thread a connection, a line a request: a sum in prefix
 * notation ("+ 1 * 2 3").  Nested parses throw what they cannot read through each other; some
 * catch, add where they were, and throw on.  It ends when its input does, and prints
 * how often its functions were entered and how they were left.
 */
#include <arpa/inet.h>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#define KEPT __attribute__((noinline))

namespace server
{
struct left {
	std::atomic<unsigned long> returned{ 0 }, thrown{ 0 };
};

left parses, answers;

/* Counts how its function is left. */
class Leaving
{
      public:
	explicit Leaving(left &of) : of_(of)
	{
	}
	~Leaving()
	{
		(std::uncaught_exceptions() > had_ ? of_.thrown : of_.returned)++;
	}

      private:
	left &of_;
	int had_ = std::uncaught_exceptions();
};

class bad_word : public std::runtime_error
{
	using std::runtime_error::runtime_error;
};

KEPT long parse(const char *&at, int depth)
{
	Leaving leaving(parses);
	char operation;
	long a, b;

	while (*at == ' ')
		at++;
	if (*at >= '0' && *at <= '9') {
		for (a = 0; *at >= '0' && *at <= '9'; at++)
			a = (a * 10 + *at - '0') % 1000003;
		return a;
	}
	if (*at != '+' && *at != '*')
		throw bad_word(std::string("cannot read '") + at + "'");
	operation = *at++;
	try {
		a = parse(at, depth + 1);
		b = parse(at, depth + 1);
	} catch (const bad_word &bad) {
		if (depth % 3 == 2)
			throw bad_word(bad.what() + std::string(" under ") + operation);
		throw;
	}
	return (operation == '+' ? a + b : a * b) % 1000003;
}

KEPT std::string answer(const std::string &line)
{
	Leaving leaving(answers);
	const char *at = line.c_str();

	try {
		return std::to_string(parse(at, 0));
	} catch (const std::exception &bad) {
		return bad.what();
	}
}

void serve(int fd)
{
	std::string line;
	char c;

	while (read(fd, &c, 1) == 1) {
		if (c != '\n') {
			line += c;
			continue;
		}
		line = answer(line) + "\n";
		if (write(fd, line.data(), line.size()) != (ssize_t)line.size())
			break;
		line.clear();
	}
	close(fd);
}

void listen_at(int fd)
{
	for (;;) {
		int connection = accept(fd, nullptr, nullptr);

		if (connection < 0)
			return;
		std::thread(serve, connection).detach();
	}
}
} // namespace server

int main()
{
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	sockaddr_in here{};
	socklen_t size = sizeof(here);
	char byte;

	here.sin_family = AF_INET;
	here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (bind(fd, (sockaddr *)&here, sizeof(here)) || listen(fd, 64) ||
	    getsockname(fd, (sockaddr *)&here, &size))
		return perror("server"), 1;
	printf("port %d\nready %d\n", ntohs(here.sin_port), getpid());
	fflush(stdout);
	std::thread(server::listen_at, fd).detach();
	while (read(0, &byte, 1) == 1 && byte != 'q')
		;
	printf("{\"parse\": {\"returned\": %lu, \"thrown\": %lu}, "
	       "\"answer\": {\"returned\": %lu, \"thrown\": %lu}}\n",
	       server::parses.returned.load(), server::parses.thrown.load(),
	       server::answers.returned.load(), server::answers.thrown.load());
	fflush(stdout);
	_exit(0);
}
