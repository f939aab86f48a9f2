package main

import "context"

// stageTrials compare our processors with a stock one of the same binary that looks at all
// items and changes none.
func stageTrials(ctx context.Context, s scope) ([]trial, error) {
	return s.each(ctx, func(_ context.Context, signal string, attributes int) (all []trial, err error) {
		var loads []otlpLoad
		switch {
		case signal != "traces":
			loads, err = enforcedLoads(signal, attributes)
		case s.full:
			loads, err = linkLoads(attributes, noneKeyed, tenthKeyed, allKeyed)
		default:
			loads, err = linkLoads(attributes, noneKeyed, allKeyed)
		}
		for _, l := range loads {
			all = append(all, trial{l, stages(l, s.full)})
		}
		return all, err
	})
}

// stages are those with a limit, or each of our processors.
func stages(l otlpLoad, each bool) []pipeline {
	through := func(processors ...string) pipeline {
		return oursEqual.through(l.signal, processors, oursOf[l.signal].configs()...)
	}
	walk := oursEqual.through(l.signal, []string{"attributes"}, config("walk"))
	walk.name = "otlp → attributes, of a key that no item has → nop"
	all := []pipeline{walk, oursEqual.passThrough()}
	if each {
		all = append(all, through("naming"))
	}
	switch l.signal {
	case "metrics":
		if each {
			all = append(all, through("cardinality"))
		}
		return append(all, through("naming", "cardinality").atMost(1.10))
	case "traces":
		limits := map[variant]float64{noneKeyed: 1.08, allKeyed: 1.18}
		return append(all, through("span_link").atMost(limits[l.variant]))
	}
	return append(all, through("log_correlation").atMost(1.06))
}
