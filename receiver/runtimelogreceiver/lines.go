package runtimelogreceiver

import "bytes"

// cutNewline returns the text of a piece, and whether its line is complete.
func cutNewline(piece []byte) (text []byte, complete bool) {
	text, complete = bytes.CutSuffix(piece, []byte{'\n'})
	if complete {
		text = bytes.TrimSuffix(text, []byte{'\r'})
	}
	return text, complete
}

// nextLine returns the first line of a text with its newline, or the beginning of one that
// is not complete, and the rest of the text.
func nextLine(text []byte) (piece, rest []byte) {
	if end := bytes.IndexByte(text, '\n') + 1; end > 0 {
		return text[:end], text[end:]
	}
	return text, nil
}
