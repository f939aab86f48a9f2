# The few commands a person needs. Every target installs what it needs itself.

SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c

BINARY := otelcol-tc
# The collector is pure Go. All targets have the same settings, the compiler's profile too, so that the
# binary, its tests and the linter compile each package once between them.
export CGO_ENABLED := 0
# The images of Go set it to local. With what go.mod asks for, a gateway takes an eighth less CPU than with Go 1.26.
export GOTOOLCHAIN := $(shell sed -n 's/^toolchain //p' go.mod)
export GOFLAGS := $(GOFLAGS) -trimpath -pgo=$(CURDIR)/default.pgo
# Prometheus's service discoveries are cut to static, file, dns, http and
# kubernetes; see docs/adr/0001-distribution.md.
TAGS := remove_all_sd,enable_dns_sd,enable_kubernetes_sd
BUILD := go build -tags $(TAGS) -ldflags '-s -w'
PYTHON ?= python3
GOLANGCI_LINT := v2.15.0
VERSION := $(shell sed -n 's/^  version: //p' builder-config.yaml)
ARCHES ?= amd64 arm64
# Files of a release bear the time of the commit: the same commit makes the same files.
export SOURCE_DATE_EPOCH ?= $(shell git log -1 --format=%ct 2>/dev/null)

.PHONY: help demo build run test test-packages test-end-to-end test-all test-jaeger measure race bench bench-functions bench-binaries stock \
	pgo stages fuzz vulncheck chaos explore refusals soak sdk lint screenshots release tag version image packages dist/linux-amd64 \
	dist/linux-arm64 release-tools generate check clean

help: ## Show this list.
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-15s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: build ## Build, run the collector, send it what the four systems send, and show what it did.
	go run ./tests/demo --binary ./$(BINARY)

# One line for every 200 packages; whatever is not a package's name goes through.
PROGRESS := awk '/[: \#]/ {print; next} ++n % 200 == 0 {print "  " n " packages compiled"; fflush()}'

build: ## Build ./otelcol-tc (minutes with a cold cache, seconds after that).
	@echo "building $(BINARY): up to 12 minutes on two cores when the build cache is cold"
	$(BUILD) -v -o $(BINARY) . 2>&1 | $(PROGRESS)

run: build ## Run the collector with the built-in development configuration.
	./$(BINARY) --config builtin:dev

# What the tests need comes by tests/tools.mk. The list of packages is a variable first: bash would ignore
# that an argument's command fails. mdatagen's own tests of what it generates are left out. make lint has
# go vet.
TEST_FLAGS := -vet=off -timeout 30m -tags $(TAGS)
GO_TEST := go test $(TEST_FLAGS)
WITHOUT_EMPTY := grep --line-buffered -v 'no test files'
# End-to-end tests mostly wait, so that more of them run than there are cores. Up to five that fail run once
# more, alone. The output ends with their first failure, which is a fault to mend.
END_TO_END = go run gotest.tools/gotestsum@v1.13.0 --format standard-quiet --rerun-fails=1 --rerun-fails-max-failures=5 \
	--rerun-fails-run-root-test --packages="$$packages" -- $(TEST_FLAGS) -p 4 -parallel 4

test: build venv genai-venv prometheus redis-server rpm release-tools ## Run the tests, but for those of test-all.
	$(MAKE) --no-print-directory --jobs=2 test-packages test-end-to-end
	cd deploy/release && go test -vet=off ./... | $(WITHOUT_EMPTY)

test-packages:
	packages=$$(go list -tags $(TAGS) ./... | grep -vE '/internal/metadata|/otelcol-tc/tests/'); \
		TC_TESTS=quick $(GO_TEST) -p 2 -parallel 4 $$packages | $(WITHOUT_EMPTY)

test-end-to-end:
	packages=$$(go list -tags $(TAGS) ./tests/...); \
		TC_TESTS=quick $(END_TO_END) | $(WITHOUT_EMPTY)

test-all: build browser axe kubernetes ray ## Run what make test leaves out: with a browser, Kubernetes and Ray, and under the race detector.
	@echo "testing $(BINARY) with a browser, Kubernetes and Ray"
	packages=$$(git grep -lE '^func Test\w*(Browser|Kubernetes|Ray)' -- tests | xargs dirname | sort -u | sed 's|^|./|'); \
		TC_TESTS=all $(END_TO_END) -run 'Browser|Kubernetes|Ray' | $(WITHOUT_EMPTY)
	$(MAKE) race

test-jaeger: build jaeger ## Run the tests with a real Jaeger (5 more minutes to build it).
	TC_TESTS=all $(GO_TEST) -run Jaeger ./tests/links ./tests/fragments

measure: build ## Check the limits of memory and time, which depend on the machine: nothing else should run.
	TC_MEASURE=1 $(GO_TEST) -p 1 -count 1 ./tests/bench ./tests/cardinality ./tests/command ./tests/durability \
		./tests/links ./tests/scale ./tests/security ./tests/usage | $(WITHOUT_EMPTY)

# Where two things happen at the same time: our own packages that, or whose tests, start
# goroutines. The doctor links the whole collector.
RACE = git grep -lE '^\s*go [a-z]|\.Go\(|RunParallel' -- '*/*.go' ':!*command/doctor*' ':!cmd' ':!deploy' ':!tests' | xargs dirname | sed 's|^|./|' | sort -u

race: ## Run the tests of packages with goroutines under the race detector.
	@echo "testing under the race detector"
	packages=$$($(RACE)); CGO_ENABLED=1 TC_HISTORIES=30 $(GO_TEST) -race -short $$packages | $(WITHOUT_EMPTY)

bench: bench-binaries ## Compare with an agent that only forwards, end to end (a few minutes).
	go run ./tests/bench

bench-functions: ## Run the benchmarks of the hot functions.
	go test -run '^$$' -bench . -benchmem ./conventions/...

bench-binaries: build .tools/stock .tools/rotel

stock: .tools/stock ## Build the stock collector that we compare with.

.tools/stock: $(addprefix tests/bench/peers/, builder-config.yaml go.mod go.sum)
	go tool builder --config $< --skip-get-modules --skip-compilation
	cd tests/bench/peers && go build -mod=readonly -pgo=off -ldflags '-s -w' -o $(CURDIR)/$@ .

# The Python package has the program.
.tools/rotel: .venv-rotel/.done
	mkdir -p .tools
	ln -sf $(CURDIR)/.venv-rotel/lib/python*/site-packages/rotel/rotel-agent $@

pgo: ## Write default.pgo anew, from a profile of all our pipelines (ten minutes).
	$(BUILD:$(TAGS)=$(TAGS),cpuprofile) -pgo=off -o .tools/otelcol-tc-profiled .
	go run ./tests/bench --binary .tools/otelcol-tc-profiled --profile-to default.pgo

stages: ## Say by stage where the CPU time and the memory of agent and gateway go, as docs/performance/stages.csv has it (seven minutes).
	$(BUILD:$(TAGS)=$(TAGS),cpuprofile) -o .tools/otelcol-tc-profiled .
	go run ./tests/bench --suite stages --binary .tools/otelcol-tc-profiled

# How long each target of fuzz runs: `make fuzz FUZZTIME=10m`.
FUZZTIME ?= 1m

fuzz: ## Fuzz whatever has a fuzz target, and plant free text in a million calls to models (three quarters of an hour).
	TC_ITEMS=1000000 go test -tags $(TAGS) -count 1 -timeout 60m -v -run TestNoFreeTextLeaves ./internal/protect
	git grep -oE '^func Fuzz[A-Za-z]+' -- '*_test.go' | sed -E 's|^(.*)/[^/]*:func (.*)|\1 \2|' | while read -r folder target; do \
		echo "$$folder $$target"; \
		go test -tags $(TAGS) "./$$folder" -run '^$$' -fuzz "^$$target$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 1x </dev/null; \
	done

vulncheck: ## Compare with the Go vulnerability database, which has to be reachable.
	go run golang.org/x/vuln/cmd/govulncheck@v1.1.4 -tags $(TAGS) ./...

# From inside the folder: otherwise go test shows the table only when a test fails.
chaos: build ## Put the profiles through each fault and print what became of the data (10 minutes; as root also with little memory and a full disk).
	cd tests/chaos && TC_CHAOS=1 TC_MEASURE=1 go test -tags $(TAGS) -count 1 -timeout 30m -skip '^TestRefusals$$'

# They mostly wait: those of one hop run at the same time.
refusals: build ## Refuse a minute long what the profiles send, in each way and at each hop, and print what became of it (15 minutes).
	cd tests/chaos && TC_CHAOS=1 go test -tags $(TAGS) -count 1 -timeout 60m -parallel 14 -run '^TestRefusals$$'

# A million of spillover take a quarter of an hour on a core of its own, a million of the tailer most of one.
SCHEDULES ?= 1000000

explore: ## Play a million schedules of crashes, faults and late answers, each of a seed, and go on where the last one ended (SEED=n replays one).
	mkdir -p .explore
	packages=$$(git grep -l '^func TestExplore(' -- '*_test.go' | xargs dirname | sort -u | sed 's|^|./|'); \
		EXPLORE=$(CURDIR)/.explore SCHEDULES=$(SCHEDULES) $(GO_TEST:30m=24h) -p 1 -count 1 -v -run 'TestExplore$$' $$packages

# How long the mutated requests go on.
MUTANTS ?= 30m

soak: build ## Send mutated requests for 30 minutes and ten million hostile names and series, and play a million random histories (two hours).
	cd tests/chaos && TC_MUTANTS=$(MUTANTS) go test -tags $(TAGS) -count 1 -timeout 3h -v -run TestMutantsBesideACleanClient
	TC_SOAK_NAMES=10000000 go test -timeout 30m -run Memory -v ./connector/... ./processor/...
	TC_SOAK_NAMES=10000000 go test -timeout 30m -tags $(TAGS) -run TestMemoryOfHostile -v ./tests/cardinality
	TC_HISTORIES=500000 go test -timeout 60m -run Conservation -v ./processor/cardinalityprocessor
	TC_LOG_HISTORIES=500 go test -timeout 60m -run Conservation ./receiver/runtimelogreceiver ./processor/logcorrelationprocessor
	TC_HISTORIES=500000 go test -timeout 60m -run RandomHistories ./extension/correlationindexextension/...

sdk: build venv ## Measure which spans SDKs lose while their agent is replaced (20 minutes): docs/sdk.md.
	for gap in 5s 20s; do TC_SDK=$$gap $(GO_TEST) -count 1 -v -run TestMeasureSettings ./tests/clients | grep -E 'lost|^(ok|FAIL|---)'; done

lint: export PATH := $(CURDIR)/.tools/lint:$(PATH)
lint: .tools/golangci-lint-$(GOLANGCI_LINT) .tools/lint/go ## Check the style.
	$< run --build-tags $(TAGS) ./...
	cd deploy/release && $(CURDIR)/$< run -c $(CURDIR)/.golangci.yml ./...
	cd deploy/release && go tool actionlint $(CURDIR)/.github/workflows/*.yml

# The linter's library asks go for packages without the compiler's profile, which compiles all of them once more.
.tools/lint/go:
	mkdir -p $(@D)
	printf '%s\n' '#!/bin/bash' 'exec $(shell command -v go) "$${@/#-pgo=off/-pgo=$(CURDIR)/default.pgo}"' > $@
	chmod +x $@

.tools/golangci-lint-$(GOLANGCI_LINT):
	GOBIN=$(CURDIR)/.tools go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_LINT)
	mv .tools/golangci-lint $@

screenshots: build browser ## Take the pictures of the page that the README shows.
	TC_SCREENSHOTS=$(CURDIR)/docs/images $(GO_TEST) -count 1 -run 'TestPageInBrowser|TestPasteFromExplorerInBrowser' ./tests/conformance

# With nothing of this machine: the same files make the same archive.
ARCHIVE := tar --create --mtime=@$(SOURCE_DATE_EPOCH) --owner=0 --group=0 --numeric-owner --mode=u+rw,go+r,go-w

release: image packages ## Build binaries, packages, image, inventory and sums into dist/ (minutes for the other architecture).
	for arch in $(ARCHES); do \
		name=dist/$(BINARY)_$(VERSION)_linux_$$arch; \
		cp dist/linux-$$arch/sbom.cdx.json $$name.cdx.json; \
		cp dist/linux-$$arch/licences.csv $${name}_licences.csv; \
		$(ARCHIVE) LICENSE NOTICE \
			--directory dist/linux-$$arch $(BINARY) licences.csv licences.txt sbom.cdx.json | gzip --no-name > $$name.tar.gz; \
	done
	cd dist && sha256sum $(BINARY)[_-]$(VERSION)[_-]* > SHA256SUMS

tag: ## Tag this commit for a release, after checks: make tag VERSION=0.2.0. Pushes nothing.
	deploy/release/tag $(VERSION)

version: ## Print the version, which is the one in builder-config.yaml.
	@echo $(VERSION)

image: dist/ca-certificates.crt $(ARCHES:%=dist/linux-%) ## Build the container image as an archive, without a container engine.
	rm -rf dist/image
	.tools/release/image -version $(VERSION) -certificates $< -accounts deploy/container/rootfs/etc -licence . \
		-output dist/image $(foreach arch,$(ARCHES),$(arch)=dist/linux-$(arch))
	$(ARCHIVE) --sort=name --directory dist/image blobs index.json oci-layout > dist/$(BINARY)_$(VERSION)_image.tar

packages: $(ARCHES:%=dist/linux-%) ## Build the deb and rpm packages.
	for arch in $(ARCHES); do for kind in deb rpm; do \
		DIST=dist/linux-$$arch ARCH=$$arch VERSION=$(VERSION) \
			.tools/release/nfpm package --config deploy/packages/nfpm.yaml --packager $$kind --target dist; \
	done; done

# The binary of an architecture, and what is in it.
dist/linux-amd64 dist/linux-arm64: dist/linux-%: release-tools
	@echo "building $(BINARY) for $*: up to 12 minutes on two cores when the build cache is cold"
	GOOS=linux GOARCH=$* $(BUILD) -v -o $@/$(BINARY) . 2>&1 | $(PROGRESS)
	.tools/release/inventory -version $(VERSION) -output $@ $@/$(BINARY)

dist/ca-certificates.crt: release-tools
	mkdir -p dist
	.tools/release/certificates > $@

release-tools: ## Build the programs that pack releases.
	cd deploy/release && go build -mod=readonly -o $(CURDIR)/.tools/release/ ./certificates ./image ./inventory github.com/goreleaser/nfpm/v2/cmd/nfpm

# Pins come before tidy: an unpinned tidy picks releases that cannot be fetched.
# Our own module appears in the manifest, but is no dependency.
generate: ## Generate code from builder-config.yaml and metadata.yaml, and pin go.mod.
	go tool builder --config builder-config.yaml --skip-get-modules --skip-compilation
	gofmt -w _builder/components.go
	mv _builder/components.go components.go
	rm -r _builder
	go generate ./...
	go get $$(sed -n 's/.*gomod: \(.*\) \(v.*\)/\1@\2/p' builder-config.yaml | grep -v 'otelcol-tc/otelcol-tc@' | sort -u)
	go mod tidy
	go run ./cmd/tcdocs

check: generate ## Fail when generated files differ from what is committed.
	git diff --exit-code
	@test -z "$$(git ls-files --others --exclude-standard)" || \
		{ echo "generated files are not committed:"; git ls-files --others --exclude-standard; exit 1; }

clean: ## Remove what the other targets made.
	rm -rf $(BINARY) .venv .venv-genai .venv-litellm .venv-ray .venv-rotel .tools otelcol-tc-data dist

include tests/tools.mk
