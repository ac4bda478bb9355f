package journal

import (
	"errors"
	"fmt"
	"os"
)

// openLocked opens a file to write to, or makes it, for its owner alone.
func openLocked(path string, flags int) (*os.File, error) {
	f, err := openRegular(path, os.O_RDWR|os.O_CREATE|flags)
	if err != nil {
		return nil, err
	}
	if err := lock(f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

func openToRead(path string) (*os.File, error) { return openRegular(path, os.O_RDONLY) }

// openRegular opens a file that is one: no link, pipe or device.
func openRegular(path string, flags int) (*os.File, error) {
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%w: it is no regular file", ErrFormat)
	}
	f, err := os.OpenFile(path, flags|careful, 0o600)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%w: it is no regular file", ErrFormat)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// syncFolder makes a new file's name in its folder last.
func syncFolder(path string) error {
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}
