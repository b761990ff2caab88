"""Attacks on the sandbox: code that says in ``answer`` what it achieved, and the layers that stand in its way.

Each is run confined, where it must not achieve ``got``, and with the layers ``off`` switched off, where it must: else
it tests nothing. ``{secret}``, ``{folder}``, ``{tcp}``, ``{udp}`` and ``{host}`` are filled in: a file with a secret, a
folder that anyone may write to, two ports that are listened to, and the process that started it all.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

SECRET = "the crown jewels"

PRELUDE = """
os = pd.io.common.os
sys = os.sys
imp = sys.modules["builtins"].__import__
"""


@dataclass(frozen=True)
class Attack:
    name: str
    code: str
    off: tuple[str, ...]
    got: Any = True


SECCOMP = ("seccomp",)
FILES = ("landlock", "namespaces")
WRITING = ("landlock", "namespaces", "rlimits")
PROGRAMS = ("seccomp", "landlock", "namespaces")
ALL = ("seccomp", "landlock", "namespaces", "rlimits")
LIMITS = ("rlimits",)

SYSTEM = "cmd = 'exit 7'\n"
#: What unpickles into a call of ``os.system``.
PICKLE = b"cposix\nsystem\n(S'exit 7'\ntR."
NPY = (
    b"\x93NUMPY\x01\x00\x76\x00"
    + b"{'descr': '|O', 'fortran_order': False, 'shape': (1,), }".ljust(117)
    + b"\n"
    + PICKLE
)

ATTACKS = [
    # Running programs.
    Attack(
        "subclasses to system",
        "wrap = [c for c in ().__class__.__base__.__subclasses__() if c.__name__ == '_wrap_close'][0]\n"
        "answer = wrap.__init__.__globals__['system']('exit 7') >> 8 == 7",
        PROGRAMS,
    ),
    Attack("os.system by pandas", "answer = os.system('exit 7') >> 8 == 7", PROGRAMS),
    Attack(
        "read_pickle",
        f"answer = pd.read_pickle(imp('io').BytesIO({PICKLE!r})) >> 8 == 7",
        PROGRAMS,
    ),
    Attack(
        "numpy load with pickle",
        f"answer = int(np.load(imp('io').BytesIO({NPY!r}), allow_pickle=True)) >> 8 == 7",
        PROGRAMS,
    ),
    Attack(
        "query with @", "f = os.system\nanswer = len(t.query('a * 0 + @f(\"exit 7\") == 1792')) == len(t)", PROGRAMS
    ),
    Attack("eval with @", "f = os.system\nanswer = int(t.eval('a * 0 + @f(\"exit 7\")').max()) >> 8 == 7", PROGRAMS),
    Attack("ctypes system", "answer = imp('ctypes').CDLL(None).system(b'exit 7') >> 8 == 7", PROGRAMS),
    Attack("ctypes by numpy", "answer = np.ctypeslib.ctypes.CDLL(None).system(b'exit 7') >> 8 == 7", PROGRAMS),
    Attack("subprocess", "answer = imp('subprocess').run(['/bin/sh', '-c', 'exit 7']).returncode == 7", PROGRAMS),
    Attack("posix_spawn", "os.posix_spawn('/bin/true', ['true'], {}); answer = True", PROGRAMS),
    Attack("execve", "os.execve('/bin/sh', ['sh', '-c', 'touch {folder}/executed'], {})", ALL, "executed"),
    Attack("fork", "pid = os.fork()\nif pid == 0: os._exit(0)\nanswer = pid > 0", SECCOMP),
    Attack(
        "fork by ctypes", "pid = imp('ctypes').CDLL(None).fork()\nif pid == 0: os._exit(0)\nanswer = pid > 0", SECCOMP
    ),
    Attack(
        "multiprocessing",
        "m = imp('multiprocessing').get_context('fork')\np = m.Process(target=int); p.start(); answer = p.pid > 0",
        SECCOMP,
    ),
    # Files.
    Attack("open a secret", "answer = sys.modules['io'].open('{secret}').read()", FILES, SECRET),
    Attack("os.open a secret", "answer = os.read(os.open('{secret}', os.O_RDONLY), 99).decode()", FILES, SECRET),
    Attack("read_csv a secret", "answer = pd.read_csv('{secret}', header=None, sep='!').iloc[0, 0]", FILES, SECRET),
    Attack("np.fromfile a secret", "answer = np.fromfile('{secret}', dtype='u1').tobytes().decode()", PROGRAMS, SECRET),
    Attack("memmap a secret", "answer = bytes(np.memmap('{secret}', mode='r')).decode()", FILES, SECRET),
    Attack(
        "C open",
        "c = imp('ctypes'); f = c.CDLL(None).open(b'{secret}', 0)\nanswer = os.read(f, 99).decode()",
        FILES,
        SECRET,
    ),
    Attack("the way up", "answer = sys.modules['io'].open('../../../../../../..{secret}').read()", FILES, SECRET),
    Attack("arrow reads", "answer = imp('pyarrow').OSFile('{secret}').read().decode()", FILES, SECRET),
    Attack("linecache", "answer = imp('linecache').getline('{secret}', 1).strip()", FILES, SECRET),
    Attack(
        "sqlite opens",
        "answer = imp('sqlite3').connect('{folder}/made.sqlite').execute('create table x(a)') is not None",
        ALL,
    ),
    Attack("listdir", "answer = 'secret.txt' in os.listdir('{folder}')", FILES),
    Attack("scandir /proc", "answer = len(os.listdir('/proc')) > 0", FILES),
    Attack("a path's existence", "answer = os.path.exists('{secret}')", ("namespaces",)),
    Attack("chmod", "os.chmod('{secret}', 0o666); answer = True", ("seccomp", "namespaces")),
    Attack("utime", "os.utime('{secret}'); answer = True", ("seccomp", "namespaces")),
    Attack("symlink", "os.symlink('{secret}', '{folder}/link'); answer = True", PROGRAMS),
    Attack("rename", "os.rename('{secret}', '{secret}'); answer = True", PROGRAMS),
    Attack("mkdir", "os.mkdir('{folder}/made'); os.rmdir('{folder}/made'); answer = True", PROGRAMS),
    Attack("truncate", "os.truncate('{folder}/victim.txt', 1); answer = True", PROGRAMS),
    Attack("chdir", "os.chdir('{folder}'); answer = True", ("seccomp", "namespaces")),
    Attack("chroot", "os.chroot('/'); answer = True", (), None),
    Attack("to_csv outside", "t.to_csv('{folder}/out.csv'); answer = True", WRITING),
    Attack("to_parquet outside", "t.to_parquet('{folder}/out.parquet'); answer = True", ALL),
    Attack("np.save outside", "np.save('{folder}/out.npy', np.arange(3)); answer = True", WRITING),
    Attack("write into packages", "f = open_ = sys.modules['io'].open(np.__file__, 'a'); answer = True", FILES),
    Attack(
        "append to the code",
        "p = sys.modules['boxkit.executor.codec'].__file__\nsys.modules['io'].open(p, 'a'); answer = True",
        FILES,
    ),
    Attack("tempfile", "imp('tempfile').TemporaryFile().write(b'x'); answer = True", ALL),
    Attack(
        "shared memory",
        "imp('multiprocessing.shared_memory', fromlist=['x']).SharedMemory(create=True, size=64); answer = True",
        ALL,
    ),
    Attack("memfd", "answer = os.memfd_create('x') > 0", SECCOMP),
    Attack("mkfifo", "os.mkfifo('{folder}/pipe'); answer = True", PROGRAMS),
    # The network.
    Attack("TCP", "imp('socket').create_connection(('127.0.0.1', {tcp}), 2); answer = True", ALL),
    Attack(
        "UDP",
        "s = imp('socket'); u = s.socket(s.AF_INET, s.SOCK_DGRAM)\nanswer = u.sendto(b'x', ('127.0.0.1', {udp})) == 1",
        ALL,
    ),
    Attack("UNIX socket", "answer = len(imp('socket').socketpair()) == 2", SECCOMP),
    Attack("netlink", "s = imp('socket'); s.socket(s.AF_NETLINK, s.SOCK_RAW, 0); answer = True", SECCOMP),
    Attack(
        "urlopen",
        "answer = imp('urllib.request', fromlist=['x']).urlopen('http://127.0.0.1:{tcp}/', timeout=2) or 1",
        (),
        None,
    ),
    Attack("read_csv of a URL", "answer = pd.read_csv('http://127.0.0.1:{tcp}/x.csv')", (), None),
    # Other processes and the kernel.
    Attack("environment of the host", "answer = b'BOXKIT_SECRET' in open_('/proc/{host}/environ')", (), None),
    Attack(
        "own environment",
        "answer = 'BOXKIT_SECRET' in os.environ or b'BOXKIT_SECRET' in open_('/proc/self/environ')",
        (),
        None,
    ),
    Attack(
        "environment in C",
        "c = imp('ctypes'); g = c.CDLL(None).getenv; g.restype = c.c_char_p\nanswer = g(b'BOXKIT_SECRET')",
        (),
        None,
    ),
    Attack("memory of the host", "answer = len(open_('/proc/{host}/maps')) > 0", (), None),
    Attack("memory of the zygote", "answer = os.open('/proc/%d/mem' % os.getppid(), os.O_RDONLY) > 0", (), None),
    Attack("signal the zygote", "os.kill(os.getppid(), 0); answer = True", ("seccomp", "landlock")),
    Attack("signal everyone", "os.kill(-1, 0); answer = True", ("seccomp", "landlock")),
    Attack("signal the host", "os.kill({host}, 0); answer = True", PROGRAMS),
    Attack("raise limits", "r = imp('resource'); r.setrlimit(r.RLIMIT_NOFILE, (32, 64)); answer = True", SECCOMP),
    Attack("priority", "answer = os.nice(1) >= 1", SECCOMP),
    Attack("affinity", "os.sched_setaffinity(0, os.sched_getaffinity(0)); answer = True", SECCOMP),
    Attack("alarm", "s = imp('signal'); s.alarm(100); answer = s.alarm(0) == 100", SECCOMP),
    Attack("pidfd", "answer = os.pidfd_open(os.getpid()) > 0", SECCOMP),
    Attack("new session", "os.setsid(); answer = True", (), None),
    Attack("umask", "os.umask(0); answer = True", SECCOMP),
    Attack("inotify", "answer = imp('ctypes').CDLL(None).inotify_init() > 0", SECCOMP),
    Attack("event loop", "answer = imp('select').epoll() is not None", SECCOMP),
    Attack("dumpable again", "c = imp('ctypes'); answer = c.CDLL(None).prctl(4, 1, 0, 0, 0) == 0", SECCOMP),
    Attack("survive the parent", "c = imp('ctypes'); answer = c.CDLL(None).prctl(1, 0, 0, 0, 0) == 0", SECCOMP),
    # Memory.
    Attack("1.5 GB", "b = np.zeros(1_500_000_000, 'u1'); answer = len(b) > 0", LIMITS),
    Attack("mmap", "m = imp('mmap').mmap(-1, 2 << 30); answer = True", LIMITS),
    Attack("a big array", "answer = np.zeros(200_000_000).nbytes > 0", LIMITS),
    Attack(
        "threads",
        "th = imp('threading'); e = th.Event()\nfor i in range(150): th.Thread(target=e.wait, daemon=True).start()\n"
        "e.set(); answer = True",
        LIMITS,
    ),
]

PROC = "open_ = lambda p: os.read(os.open(p, os.O_RDONLY), 1 << 16)\n"

#: Raw system calls that must be refused with EPERM, by number on x86-64; whatever their arguments.
RAW = {
    "io_uring_setup": 425,
    "io_uring_enter": 426,
    "userfaultfd": 323,
    "bpf": 321,
    "ptrace": 101,
    "unshare": 272,
    "setns": 308,
    "process_vm_readv": 310,
    "process_vm_writev": 311,
    "kcmp": 312,
    "pidfd_open": 434,
    "pidfd_getfd": 438,
    "pidfd_send_signal": 424,
    "keyctl": 250,
    "add_key": 248,
    "request_key": 249,
    "mq_open": 240,
    "shmget": 29,
    "shmat": 30,
    "semget": 64,
    "msgget": 68,
    "inotify_init1": 294,
    "fanotify_init": 300,
    "sched_setaffinity": 203,
    "sched_setscheduler": 144,
    "setpriority": 141,
    "ioprio_set": 251,
    "setitimer": 38,
    "timer_create": 222,
    "timerfd_create": 283,
    "alarm": 37,
    "pause": 34,
    "personality": 135,
    "prctl": 157,
    "arch_prctl": 158,
    "seccomp": 317,
    "perf_event_open": 298,
    "memfd_create": 319,
    "memfd_secret": 447,
    "name_to_handle_at": 303,
    "open_by_handle_at": 304,
    "openat2": 437,
    "kill": 62,
    "tkill": 200,
    "rt_sigqueueinfo": 129,
    "fork": 57,
    "vfork": 58,
    "execve": 59,
    "execveat": 322,
    "socket": 41,
    "socketpair": 53,
    "connect": 42,
    "bind": 49,
    "sendmsg": 46,
    "recvmsg": 47,
    "mount": 165,
    "fsopen": 430,
    "open_tree": 428,
    "pivot_root": 155,
    "chroot": 161,
    "chmod": 90,
    "fchmodat2": 452,
    "chown": 92,
    "link": 86,
    "symlink": 88,
    "unlink": 87,
    "rename": 82,
    "mkdir": 83,
    "ftruncate": 77,
    "truncate": 76,
    "fallocate": 285,
    "setuid": 105,
    "setgid": 106,
    "setresuid": 117,
    "capset": 126,
    "setrlimit": 160,
    "acct": 163,
    "swapon": 167,
    "reboot": 169,
    "init_module": 175,
    "kexec_load": 246,
    "iopl": 172,
    "ioperm": 173,
    "quotactl": 179,
    "syslog": 103,
    "splice": 275,
    "vmsplice": 278,
    "tee": 276,
    "sendfile": 40,
    "copy_file_range": 326,
    "dup": 32,
    "dup2": 33,
    "pipe": 22,
    "pipe2": 293,
    "epoll_create1": 291,
    "eventfd2": 290,
    "signalfd4": 289,
    "mlock": 149,
    "mlockall": 151,
    "pkey_alloc": 330,
    "remap_file_pages": 216,
    "migrate_pages": 256,
    "move_pages": 279,
    "mbind": 237,
    "landlock_create_ruleset": 444,
    "umask": 95,
    "chdir": 80,
    "fchdir": 81,
    "setsid": 112,
    "setpgid": 109,
    "wait4": 61,
    "modify_ldt": 154,
    "futex_waitv": 449,
    "map_shadow_stack": 453,
    "lookup_dcookie": 212,
    "vhangup": 153,
    "uselib": 134,
    "process_madvise": 440,
    "statmount": 457,
    "lsm_set_self_attr": 460,
}

RAW_CODE = """
import itertools
c = np.ctypeslib.ctypes
libc = c.CDLL(None, use_errno=True)
answer = {}
for name, number in %r.items():
    c.set_errno(0)
    result = libc.syscall(c.c_long(number), *[c.c_long(-1)] * 6)
    answer[name] = c.get_errno() if result == -1 else 0
"""


def filled(attack: Attack, places: dict[str, Any]) -> str:
    """The attack's code with its places filled in."""
    code = attack.code
    for name, value in places.items():
        code = code.replace("{" + name + "}", str(value))
    return PRELUDE + PROC + code
