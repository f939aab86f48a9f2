// SPDX-License-Identifier: Apache-2.0

package tail

import (
	"bytes"
	"context"
	"os"
)

const (
	// turnBytes bounds the bytes of a file that are read in one turn.
	turnBytes = 1 << 20
	// bufferBytes bounds the bytes of one read.
	bufferBytes = 64 << 10
	// MaxLines bounds the lines of one call of Reader.Read, and so the lines that are repeated
	// after a kill.
	MaxLines = 500
	// zerosBefore is how many zero bytes at the beginning of a line are skipped, and
	// zerosWithin how many inside a line. Fewer may be text.
	zerosBefore = 16
	zerosWithin = 4 << 10
)

// outcome is the result of a turn.
type outcome struct {
	head      []byte // the beginning of the file, if it was read
	more      bool   // the file has more bytes to read
	truncated bool   // the file no longer begins with what was read of it
	finished  bool   // the file is an archive, and its end was read
	// lost is why the rest of an archive is not read, or empty.
	lost    Reason
	lostErr error
	err     error
}

// run reads the next bytes of a file, at most turnBytes. It skips blocks of zeros: files have
// them if a writer continues at its old offset after a truncation, and sparse files consist of
// them. It returns the number of skipped zeros.
func (f *file) run(ctx context.Context, buffer []byte) (out outcome, zeros int64) {
	info, err := f.descriptor.Stat()
	if err != nil {
		return outcome{}, 0
	}
	f.size, f.modified = info.Size(), info.ModTime()
	size := f.size
	packed, isPacked := f.descriptor.(*archive)
	if isPacked {
		size = packed.textSize()
	}
	if !f.position.matches(f.descriptor, size) {
		return outcome{truncated: true}, 0
	}
	unstored, hole := false, false
	n := len(buffer)
	for end := f.position.Offset + turnBytes; f.position.Offset < end && !hole && ctx.Err() == nil; {
		if n, _ = f.descriptor.ReadAt(buffer, f.position.Offset); n == 0 {
			break // the end of the file, or an error
		}
		if ctx.Err() != nil {
			break // the read may have taken long
		}
		if f.position.Offset == 0 {
			out.head = bytes.Clone(buffer[:min(n, headBytes)])
		}
		text := buffer[:n]
		if dropped := f.leadingZeros(text); dropped > 0 {
			to := f.position.Offset + int64(dropped)
			if file, ok := f.descriptor.(*os.File); ok && dropped == n {
				next := dataAfter(file, to, size)
				hole, to = next > to, next
			}
			zeros += to - f.position.Offset
			f.position.advance(f.descriptor, to, nil)
			unstored = true
			if dropped == n {
				continue
			}
			text = text[dropped:]
		}
		cut := isPacked && n < len(buffer) && packed.damaged()
		if n == len(buffer) || cut {
			// Leave an incomplete last line to the next read, or to the archive when somebody has completed it.
			newline := bytes.LastIndexByte(text, '\n')
			if newline >= 0 || cut {
				text = text[:newline+1]
			}
		}
		if out.err = f.give(ctx, text); out.err != nil {
			return out, zeros
		}
		unstored = false
		if cut {
			n = 0 // the end of what can be read
		}
		if n < len(buffer) {
			break
		}
	}
	if unstored {
		out.err = f.reader.Read(ctx, nil, f.position)
	}
	if isPacked {
		size = packed.textSize()
	}
	out.more = n > 0 && f.position.Offset < size
	return out, zeros
}

// give passes a text to the reader, at most MaxLines lines at a time.
func (f *file) give(ctx context.Context, text []byte) error {
	for len(text) > 0 {
		piece := text[:linesEnd(text, MaxLines)]
		at := f.position
		at.Modified = f.modified
		at.advance(f.descriptor, at.Offset+int64(len(piece)), piece)
		if err := f.reader.Read(ctx, piece, at); err != nil {
			return err
		}
		f.position = at
		f.midLine = piece[len(piece)-1] != '\n'
		text = text[len(piece):]
	}
	return nil
}

// leadingZeros returns the number of zero bytes to skip at the beginning of a text.
func (f *file) leadingZeros(text []byte) int {
	zeros := len(text) - len(bytes.TrimLeft(text, "\x00"))
	if zeros < zerosBefore || f.midLine && zeros < zerosWithin {
		return 0
	}
	return zeros
}

func linesEnd(text []byte, lines int) int {
	end := 0
	for range lines {
		newline := bytes.IndexByte(text[end:], '\n')
		if newline < 0 {
			return len(text)
		}
		end += newline + 1
	}
	return end
}
