package report

// maxProtected limits the rows about protected content.
const maxProtected = 2000

// reportProtected returns what was protected, with the names of services that the rest of the report has.
func (b *Builder) reportProtected() []Protected {
	all := []Protected{}
	if b.settings.Protected == nil {
		return all
	}
	for _, p := range b.settings.Protected() {
		if len(all) == maxProtected {
			break
		}
		if p.Service = Kept(p.Service); p.Service == "" {
			p.Service = unknownService
		}
		all = append(all, p)
	}
	return all
}
