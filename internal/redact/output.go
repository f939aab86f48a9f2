// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"bytes"
	"encoding/json"
	"io"

	"go.yaml.in/yaml/v3"
)

// writer changes what is written, and passes it to another writer.
type writer struct {
	io.Writer
	clean func(text []byte) []byte
}

// Output returns a writer for configurations in YAML or JSON, each in one write. It hides what Conf hides.
func Output(w io.Writer) io.Writer { return writer{w, withoutSecrets} }

// Writer returns a writer that redacts the URLs and the credentials of known forms in each write. None of them must
// span two writes.
func Writer(w io.Writer) io.Writer {
	return writer{w, func(text []byte) []byte { return []byte(setting(string(text))) }}
}

// Write implements io.Writer.
func (w writer) Write(text []byte) (int, error) {
	if _, err := w.Writer.Write(w.clean(text)); err != nil {
		return 0, err
	}
	return len(text), nil
}

// withoutSecrets returns a configuration without secrets, in the format that it has.
func withoutSecrets(text []byte) []byte {
	var settings map[string]any
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if decoder.Decode(&settings) == nil {
		var b bytes.Buffer
		encoder := json.NewEncoder(&b)
		encoder.SetIndent("", "  ")
		if encoder.Encode(hideSecrets(settings)) == nil {
			return b.Bytes()
		}
	}
	settings = nil
	if yaml.Unmarshal(text, &settings) == nil && settings != nil {
		if hidden, err := yaml.Marshal(hideSecrets(settings)); err == nil {
			return append(hidden, '\n')
		}
	}
	return []byte(setting(string(text)))
}
