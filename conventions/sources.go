package conventions

import "fmt"

// LoadSetting returns the packs of a component's setting packs: names, paths, and
// {registry: folder}. Errors are Load's.
func LoadSetting(packs []any) ([]*Pack, error) {
	sources, err := sources(packs)
	if err != nil {
		return nil, err
	}
	return Load(sources)
}

func sources(packs []any) ([]Source, error) {
	var sources []Source
	for i, pack := range packs {
		switch p := pack.(type) {
		case string:
			sources = append(sources, Source{Pack: p})
			continue
		case map[string]any:
			if folder, ok := p["registry"].(string); ok && len(p) == 1 && folder != "" {
				sources = append(sources, Source{Registry: folder})
				continue
			}
		}
		return nil, fmt.Errorf("packs[%d]: must be a name, a path or {registry: folder} (got %v)", i, pack)
	}
	return sources, nil
}
