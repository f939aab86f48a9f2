package naming

// Asks are the facts that the decision on a span's name depends on, apart from its Context. The
// zero value means none.
type Asks struct {
	// Attribute is the key of a text attribute of the span, or "".
	Attribute string
	// Convention is whether the span has one of the ConventionKeys.
	Convention bool
}

// Facts are what a span has of what was asked for.
type Facts struct {
	// Attribute is the value of the attribute, or "".
	Attribute string
	// Convention reports whether the span has one of the ConventionKeys.
	Convention bool
}

// AsksOf returns all that the decision on a span's name can depend on.
func AsksOf(name string) Asks {
	switch {
	case ConformantSpan(name):
		return Asks{}
	case httpName.MatchString(name):
		return Asks{Attribute: httpRouteKey}
	}
	return Asks{Attribute: rpcServiceKey, Convention: true}
}

const (
	rpcServiceKey = "rpc.service"
	httpRouteKey  = "http.route"
)

// ConventionKeys returns the keys of attributes that say that a span has a name of the semantic
// conventions, such as "chat gpt-4o" or "SELECT orders". Client is whether the span is a client's.
func ConventionKeys(client bool) []string {
	if client {
		return conventionKeys[:]
	}
	return conventionKeys[:ofAllKinds]
}

// ofAllKinds is the number of conventionKeys of spans of any kind.
const ofAllKinds = 4

var conventionKeys = [...]string{
	"gen_ai.operation.name", "db.system.name", "db.system", "messaging.system",
	"rpc.system.name", "rpc.system",
}
