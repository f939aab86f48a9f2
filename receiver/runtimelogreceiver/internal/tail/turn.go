package tail

import (
	"bytes"
	"context"
)

const (
	// turnBytes is what is read of a file before the next one has its turn.
	turnBytes = 1 << 20
	// bufferBytes is what is read at once.
	bufferBytes = 64 << 10
	// MaxLines is how many lines a reader gets at once, and so what a kill can repeat.
	MaxLines = 100
	// zerosBefore is how many zeros where a line begins are no text, and zerosWithin how
	// many in the middle of one.
	zerosBefore = 16
	zerosWithin = 4 << 10
)

// outcome is how a turn ended.
type outcome struct {
	more      bool // there may be more to read
	truncated bool // the file is not what was read of it any more
	err       error
}

// run reads a file's next bytes, at most turnBytes. It skips zeros where a line begins and
// blocks of zeros: files have them where a writer went on after a truncation, and sparse
// files have nothing else. Zeros returns how many.
func (f *file) run(ctx context.Context, buffer []byte) (out outcome, zeros int64) {
	info, err := f.descriptor.Stat()
	if err != nil {
		return outcome{}, 0
	}
	f.size, f.modified = info.Size(), info.ModTime()
	if !f.at.matches(f.descriptor, f.size) {
		return outcome{truncated: true}, 0
	}
	unstored, hole := false, false
	n := len(buffer)
	for end := f.at.Offset + turnBytes; f.at.Offset < end && !hole && ctx.Err() == nil; {
		if n, _ = f.descriptor.ReadAt(buffer, f.at.Offset); n == 0 {
			break // the end, or an error
		}
		if ctx.Err() != nil {
			break // it may have taken long
		}
		text := buffer[:n]
		if dropped := f.leadingZeros(text); dropped > 0 {
			to := f.at.Offset + int64(dropped)
			if dropped == n {
				next := dataAfter(f.descriptor, to, f.size)
				hole, to = next > to, next
			}
			zeros += to - f.at.Offset
			f.at.advance(f.descriptor, to, nil)
			unstored = true
			if dropped == n {
				continue
			}
			text = text[dropped:]
		}
		if n == len(buffer) {
			// The rest of the last line comes with the next read.
			if newline := bytes.LastIndexByte(text, '\n'); newline >= 0 {
				text = text[:newline+1]
			}
		}
		if err := f.give(ctx, text); err != nil {
			return outcome{err: err}, zeros
		}
		unstored = false
		if n < len(buffer) {
			break
		}
	}
	if unstored {
		err = f.reader.Read(ctx, nil, f.at)
	}
	return outcome{more: n > 0 && f.at.Offset < f.size, err: err}, zeros
}

// give hands a text to the reader, MaxLines at a time.
func (f *file) give(ctx context.Context, text []byte) error {
	for len(text) > 0 {
		piece := text[:linesEnd(text, MaxLines)]
		at := f.at
		at.Modified = f.modified
		at.advance(f.descriptor, at.Offset+int64(len(piece)), piece)
		if err := f.reader.Read(ctx, piece, at); err != nil {
			return err
		}
		f.at = at
		f.midLine = piece[len(piece)-1] != '\n'
		text = text[len(piece):]
	}
	return nil
}

// leadingZeros returns how many bytes at the beginning of a text are to be skipped.
func (f *file) leadingZeros(text []byte) int {
	zeros := len(text) - len(bytes.TrimLeft(text, "\x00"))
	if zeros < zerosBefore || f.midLine && zeros < zerosWithin {
		return 0
	}
	return zeros
}

// linesEnd returns where so many lines of a text end, or the end of the text.
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
