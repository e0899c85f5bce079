/* Makes a file with a mode, which open takes as a variable argument. */
int open(const char *path, int flags, ...);
int main(int argc, char **argv);

enum { O_WRONLY = 1, O_CREAT = 0x200 }; /* Darwin's <sys/fcntl.h> */

int main(int argc, char **argv)
{
	return argc != 2 || open(argv[1], O_CREAT | O_WRONLY, 0640) < 0;
}
