package main

import "context"

// conformanceTrials measure what it costs to judge against the processors of each signal.
func conformanceTrials(ctx context.Context, s scope) ([]trial, error) {
	return s.each(ctx, func(_ context.Context, signal string, attributes int) ([]trial, error) {
		l, err := newJudgedLoad(signal, attributes)
		if err != nil || signal != "traces" {
			return []trial{{l, judgedPipelines(l, 1.10)}}, err
		}
		whole := l
		whole.variant, whole.later = judgedWhole, judgedLater
		return []trial{{l, judgedPipelines(l, 1.10)}, {whole, judgedPipelines(whole, 0, config("whole"))}}, nil
	})
}

func judgedPipelines(l otlpLoad, maxRatio float64, more ...string) []pipeline {
	own := oursOf[l.signal]
	without := oursEqual.through(l.signal, own.processors, config("four"))
	with := oursEqual.through(l.signal, own.processors, append([]string{config("four"), config("conformance")}, more...)...)
	with.name = without.name[:len(without.name)-len("nop")] + "conformance, nop"
	return []pipeline{without, with.atMost(maxRatio)}
}
