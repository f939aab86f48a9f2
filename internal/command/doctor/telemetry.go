package doctor

import (
	"iter"
	"strconv"
)

// telemetryHosts returns where the collector's own metrics are served, by the setting's path.
// Their configuration is of another project, and read without its types.
func (c *configuration) telemetryHosts() iter.Seq2[[]string, string] {
	return func(yield func([]string, string) bool) {
		path := []string{"service", "telemetry", "metrics", "readers"}
		readers, _ := c.resolved.Get(setting(path)).([]any)
		for i, reader := range readers {
			steps := []string{"pull", "exporter", "prometheus", "host"}
			host, ok := dig(reader, steps).(string)
			if ok && !yield(below(path, append([]string{strconv.Itoa(i)}, steps...)...), host) {
				return
			}
		}
	}
}

// dig returns the value below nested mappings, nil if there is none.
func dig(value any, steps []string) any {
	for _, step := range steps {
		mapping, _ := value.(map[string]any)
		value = mapping[step]
	}
	return value
}
