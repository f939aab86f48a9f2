package conventions

// Expectation says what a system shows when it is at work, so that what is missing can
// be found. Names are conformant ones.
type Expectation struct {
	// Metrics are families, of each of which at least one metric comes.
	Metrics []Glob `yaml:"metrics"`
	// Components are those that spans come from.
	Components []string `yaml:"components"`
	// Edges are the ways that traces take from one component to another.
	Edges []Edge `yaml:"edges"`
}

// Edge tells that in a trace which has a span of From, a span of To descends from one.
type Edge struct {
	From string `yaml:"from"`
	To   string `yaml:"to"`
}

// String is the edge as a person writes it.
func (e Edge) String() string { return e.From + " -> " + e.To }
