//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package journal

import (
	"errors"
	"os"
	"syscall"

	"sidestep/pkg/ledger"
)

// careful refuses a symbolic link, and does not wait where a pipe is in the place
// of the file.
const careful = syscall.O_NOFOLLOW | syscall.O_NONBLOCK

// lock takes the file for this process. The system frees it however the process
// ends.
func lock(f *os.File) error {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return ledger.ErrBusy
	}
	return err
}
