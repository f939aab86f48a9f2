// SPDX-License-Identifier: Apache-2.0

package redact

import "io"

// writer redacts what is written, and passes it to another writer.
type writer struct{ io.Writer }

// Writer returns a writer that redacts the URLs and the credentials of known forms in each write. None of them must
// span two writes.
func Writer(w io.Writer) io.Writer { return writer{w} }

// Write implements io.Writer.
func (w writer) Write(text []byte) (int, error) {
	if _, err := io.WriteString(w.Writer, setting(string(text))); err != nil {
		return 0, err
	}
	return len(text), nil
}
