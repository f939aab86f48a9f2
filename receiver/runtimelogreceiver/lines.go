package runtimelogreceiver

import "bytes"

// splitLines cuts a file into lines for the file consumer. The newline stays: a piece
// that ends in none is one that its line was not complete at, and whose rest follows.
func splitLines(data []byte, _ bool) (advance int, piece []byte, err error) {
	if end := bytes.IndexByte(data, '\n') + 1; end > 0 {
		return end, data[:end], nil
	}
	return 0, nil, nil
}

// cutNewline returns the text of a piece, and whether its line is complete.
func cutNewline(piece []byte) (text []byte, complete bool) {
	text, complete = bytes.CutSuffix(piece, []byte{'\n'})
	if complete {
		text = bytes.TrimSuffix(text, []byte{'\r'})
	}
	return text, complete
}
