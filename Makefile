# The few commands a person needs. Every target installs what it needs itself.

SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c

BINARY := otelcol-tc
# The collector is pure Go. The same settings for all targets also mean that a cold
# cache is filled once.
export CGO_ENABLED := 0
export GOFLAGS := $(GOFLAGS) -trimpath
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

.PHONY: help
help: ## Show this list.
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: demo
demo: build ## Build, run the collector, send it what the four systems send, and show what it did.
	go build -o .tools/tcgen ./cmd/tcgen
	go run ./cmd/tcdemo --binary ./$(BINARY) --tcgen .tools/tcgen

# One line for every 200 packages; whatever is not a package's name goes through.
PROGRESS := awk '/[: \#]/ {print; next} ++n % 200 == 0 {print "  " n " packages compiled"; fflush()}'

.PHONY: build
build: ## Build ./otelcol-tc (minutes with a cold cache, seconds after that).
	@echo "building $(BINARY): up to 12 minutes on two cores when the build cache is cold"
	$(BUILD) -v -o $(BINARY) . 2>&1 | $(PROGRESS)

.PHONY: run
run: build ## Run the collector with the built-in development configuration.
	./$(BINARY) --config builtin:dev

.PHONY: test
test: build venv prometheus jaeger redis-server browser kubernetes release-tools rpm ## Run all tests, the end-to-end ones against the built binary.
	go test -tags $(TAGS) ./...
	cd deploy/release && go test ./...
	$(MAKE) race

# Everything of ours that does not link the whole collector.
RACE := ./internal/... ./conventions/... ./connector/... ./exporter/... ./extension/... ./receiver/... ./processor/... ./provider/... ./cmd/... ./tests/pipetest/...

.PHONY: race
race: ## Run our own packages' tests under the race detector.
	CGO_ENABLED=1 TC_HISTORIES=200 go test -race -timeout 30m -tags $(TAGS) $$(go list $(RACE) | grep -v /internal/command/doctor)

.PHONY: bench
bench: bench-binaries ## Compare with a stock collector, end to end (six minutes).
	go run ./tests/bench

.PHONY: bench-functions
bench-functions: ## Run the benchmarks of the hot functions.
	go test -run '^$$' -bench . -benchmem ./connector/... ./conventions/... ./exporter/... ./extension/... ./internal/... ./processor/... ./receiver/...

.PHONY: bench-full
bench-full: bench-binaries ## Measure everything, and write docs/performance.md (over an hour, on a machine that does nothing else).
	go run ./tests/bench --report docs/performance.md

.PHONY: bench-binaries
bench-binaries: build .tools/stock
	$(BUILD) -pgo=off -o .tools/otelcol-tc-nopgo .

.PHONY: stock
stock: .tools/stock ## Build the stock collector that we compare with.

.tools/stock: $(wildcard tests/bench/peers/*.go) tests/bench/peers/go.mod tests/bench/peers/go.sum
	cd tests/bench/peers && go build -mod=readonly -pgo=off -ldflags '-s -w' -o $(CURDIR)/$@ .

.PHONY: pgo
pgo: ## Write default.pgo anew, from a profile of all our pipelines (ten minutes).
	$(BUILD:$(TAGS)=$(TAGS),cpuprofile) -pgo=off -o .tools/otelcol-tc-profiled .
	go run ./tests/bench --binary .tools/otelcol-tc-profiled --profile-to default.pgo

# How long each target of fuzz runs: `make fuzz FUZZTIME=10m`.
FUZZTIME ?= 1m

.PHONY: fuzz
fuzz: ## Fuzz whatever has a fuzz target (half an hour).
	git grep -oE '^func Fuzz[A-Za-z]+' -- '*_test.go' | sed -E 's|^(.*)/[^/]*:func (.*)|\1 \2|' | while read -r folder target; do \
		echo "$$folder $$target"; \
		go test -tags $(TAGS) "./$$folder" -run '^$$' -fuzz "^$$target$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 1x </dev/null; \
	done

.PHONY: vulncheck
vulncheck: ## Compare with the Go vulnerability database, which has to be reachable.
	go run golang.org/x/vuln/cmd/govulncheck@v1.1.4 -tags $(TAGS) ./...

# From inside the folder: otherwise go test shows the table only when a test fails.
.PHONY: chaos
chaos: build ## Put the profiles through each fault and print what became of the data (5 minutes; as root also with little memory and a full disk).
	cd tests/chaos && TC_CHAOS=1 go test -tags $(TAGS) -count 1 -timeout 30m

# How long the mutated requests go on.
MUTANTS ?= 30m

.PHONY: soak
soak: build ## Send mutated requests for 30 minutes and ten million hostile names and series, and play a million random histories (two hours).
	cd tests/chaos && TC_MUTANTS=$(MUTANTS) go test -tags $(TAGS) -count 1 -timeout 3h -v -run TestMutantsBesideACleanClient
	TC_SOAK_NAMES=10000000 go test -timeout 30m -run Memory -v ./connector/... ./processor/...
	TC_SOAK_NAMES=10000000 go test -timeout 30m -tags $(TAGS) -run TestMemoryOfHostile -v ./tests
	TC_HISTORIES=500000 go test -timeout 60m -run Conservation -v ./processor/cardinalityprocessor
	TC_LOG_HISTORIES=500 go test -timeout 60m -run Conservation ./receiver/runtimelogreceiver ./processor/logcorrelationprocessor
	TC_HISTORIES=500000 go test -timeout 60m -run RandomHistories ./extension/correlationindexextension

.PHONY: lint
lint: .tools/golangci-lint-$(GOLANGCI_LINT) ## Check the style.
	$< run --build-tags $(TAGS) ./...
	cd deploy/release && $(CURDIR)/$< run -c $(CURDIR)/.golangci.yml ./...

.tools/golangci-lint-$(GOLANGCI_LINT):
	GOBIN=$(CURDIR)/.tools GOFLAGS=-trimpath go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_LINT)
	mv .tools/golangci-lint $@

.PHONY: venv
venv: .venv/.done ## Make the virtual environment of the real Python clients.

.venv/.done: tests/clients/requirements.txt
	$(PYTHON) -m venv .venv
	.venv/bin/pip install --quiet --disable-pip-version-check -r $<
	touch $@

.PHONY: prometheus promtool
prometheus: .tools/prometheus promtool ## Get the Prometheus server of the end-to-end tests.
# It tests the alerts, and comes with the server.
promtool: .tools/promtool

# One that is installed, or Debian's package: unpacked, so that nobody need be root and
# no service starts. Only a machine without package lists needs root, to get them.
.tools/prometheus .tools/promtool:
	mkdir -p .tools
	if installed=$$(command -v $(@F)); then ln -s "$$installed" $@; exit; fi; \
	dir=$$(mktemp -d); trap 'rm -rf "$$dir"' EXIT; \
	download() { (cd "$$dir"; apt-get -qq -o APT::Sandbox::User=root download prometheus); }; \
	as_root=$$([ "$$(id -u)" = 0 ] || command -v sudo || true); \
	download || { $$as_root apt-get -qq update; download; }; \
	dpkg-deb -x "$$dir"/prometheus_*.deb "$$dir"; \
	mv "$$dir/usr/bin/$(@F)" $@

.PHONY: jaeger
jaeger: .tools/jaeger ## Build the Jaeger of the end-to-end tests (5 minutes with a cold cache).

.tools/jaeger: tests/jaeger/go.mod tests/jaeger/go.sum
	cd tests/jaeger && go build -mod=readonly -ldflags '-s -w' -o $(CURDIR)/$@ github.com/jaegertracing/jaeger/cmd/jaeger

.PHONY: kubernetes
kubernetes: .tools/kube-apiserver .tools/etcd .tools/kubectl .tools/helm ## Build the Kubernetes API server, kubectl and helm of the tests (3 minutes with a cold cache).

# They say their release when asked, and charts and clients ask.
KUBERNETES_VERSION = $(shell sed -n 's|^\tk8s.io/kubernetes \(v[0-9.]*\).*|\1|p' tests/kubernetes/go.mod)
KUBERNETES_MINOR = $(word 2,$(subst ., ,$(KUBERNETES_VERSION)))
HELM_VERSION = $(shell sed -n 's|^\thelm.sh/helm/v3 \(v[0-9.]*\).*|\1|p' tests/kubernetes/go.mod)

.tools/kube-apiserver .tools/kubectl: tests/kubernetes/go.mod tests/kubernetes/go.sum
	cd tests/kubernetes && go build -mod=readonly -ldflags '-s -w $(addprefix -X k8s.io/component-base/version.,\
		gitVersion=$(KUBERNETES_VERSION) gitMajor=1 gitMinor=$(KUBERNETES_MINOR) gitTreeState=clean)' \
		-o $(CURDIR)/$@ k8s.io/kubernetes/cmd/$(@F)

.tools/etcd: tests/kubernetes/go.mod tests/kubernetes/go.sum
	cd tests/kubernetes && go build -mod=readonly -ldflags '-s -w' -o $(CURDIR)/$@ go.etcd.io/etcd/server/v3

.tools/helm: tests/kubernetes/go.mod tests/kubernetes/go.sum
	cd tests/kubernetes && go build -mod=readonly -ldflags '-s -w $(addprefix -X helm.sh/helm/v3/,\
		internal/version.version=$(HELM_VERSION) \
		pkg/chartutil.k8sVersionMajor=1 pkg/chartutil.k8sVersionMinor=$(KUBERNETES_MINOR) \
		pkg/lint/rules.k8sVersionMajor=1 pkg/lint/rules.k8sVersionMinor=$(KUBERNETES_MINOR))' \
		-o $(CURDIR)/$@ helm.sh/helm/v3/cmd/helm

.PHONY: redis-server
redis-server: .tools/redis-server ## Get the Redis server of the tests.

# As with Prometheus, but the program needs libraries that a machine without Redis lacks.
REDIS_LIBRARIES = apt-cache depends redis-tools | sed -nE 's/^ *Depends: ((lib|lua).*)/\1/p' | grep -vx 'libc6\|libsystemd0'

.tools/redis-server:
	mkdir -p .tools
	if installed=$$(command -v redis-server); then ln -sf "$$installed" $@; exit; fi; \
	dir=$$(mktemp -d); trap 'rm -rf "$$dir"' EXIT; \
	download() { packages="redis-server redis-tools $$($(REDIS_LIBRARIES))"; \
		(cd "$$dir"; apt-get -qq -o APT::Sandbox::User=root download $$packages); }; \
	as_root=$$([ "$$(id -u)" = 0 ] || command -v sudo || true); \
	download || { $$as_root apt-get -qq update; download; }; \
	for package in "$$dir"/*.deb; do dpkg-deb -x "$$package" .tools/redis; done; \
	printf '%s\n' '#!/bin/sh' \
		'redis=$$(dirname "$$0")/redis' \
		'export LD_LIBRARY_PATH=$$(echo "$$redis"/usr/lib/*-linux-gnu)' \
		'exec "$$redis"/usr/bin/redis-server "$$@"' > $@; \
	chmod +x $@

.PHONY: browser
browser: .tools/browser ## Get the browser of the page's tests.

BROWSERS := chromium-headless-shell chrome-headless-shell chromium google-chrome

# As with Redis: Debian's package, with what the machine lacks of its libraries, and
# fonts, so that pictures are the same everywhere.
.tools/browser:
	mkdir -p .tools
	for name in $(BROWSERS); do \
		if installed=$$(command -v $$name); then ln -sf "$$installed" $@; exit; fi; \
	done; \
	dir=$$(mktemp -d); trap 'rm -rf "$$dir"' EXIT; \
	download() { lacking=$$(apt-get -s --no-install-recommends install chromium-headless-shell fonts-inter fonts-dejavu-core | sed -n 's/^Inst \([^ ]*\).*/\1/p'); \
		[ -n "$$lacking" ] && (cd "$$dir"; apt-get -qq -o APT::Sandbox::User=root download $$lacking); }; \
	as_root=$$([ "$$(id -u)" = 0 ] || command -v sudo || true); \
	download || { $$as_root apt-get -qq update; download; }; \
	for package in "$$dir"/*.deb; do dpkg-deb -x "$$package" .tools/chromium; done; \
	printf '%s\n' '<fontconfig>' \
		'<dir prefix="relative">usr/share/fonts</dir><dir>/usr/share/fonts</dir>' \
		'<cachedir prefix="xdg">fontconfig</cachedir>' \
		'<alias binding="strong"><family>sans-serif</family><prefer><family>Inter</family></prefer></alias>' \
		'<alias binding="strong"><family>monospace</family><prefer><family>DejaVu Sans Mono</family></prefer></alias>' \
		'</fontconfig>' > .tools/chromium/fonts.conf; \
	printf '%s\n' '#!/bin/sh' \
		'chromium=$$(dirname "$$0")/chromium' \
		'export LD_LIBRARY_PATH=$$(echo "$$chromium"/usr/lib/*-linux-gnu):$$(echo "$$chromium"/usr/lib/*-linux-gnu/pulseaudio)' \
		'export FONTCONFIG_FILE="$$chromium"/fonts.conf' \
		'exec "$$chromium"/usr/lib/chromium/chromium-headless-shell "$$@"' > $@; \
	chmod +x $@

.PHONY: screenshots
screenshots: build browser ## Take the pictures of the page that the README shows.
	TC_SCREENSHOTS=$(CURDIR)/docs/images go test -tags $(TAGS) -count 1 -run TestPageInBrowser ./tests

.PHONY: rpm
rpm: .tools/rpm ## Get the rpm of the packages' tests.

# As with the browser: Debian's package, with what the machine lacks of its libraries.
.tools/rpm:
	mkdir -p .tools
	if installed=$$(command -v rpm); then ln -sf "$$installed" $@; exit; fi; \
	dir=$$(mktemp -d); trap 'rm -rf "$$dir"' EXIT; \
	download() { lacking=$$(apt-get -s --no-install-recommends install rpm | sed -n 's/^Inst \([^ ]*\).*/\1/p'); \
		[ -n "$$lacking" ] && (cd "$$dir"; apt-get -qq -o APT::Sandbox::User=root download $$lacking); }; \
	as_root=$$([ "$$(id -u)" = 0 ] || command -v sudo || true); \
	download || { $$as_root apt-get -qq update; download; }; \
	for package in "$$dir"/*.deb; do dpkg-deb -x "$$package" .tools/rpm-package; done; \
	printf '%s\n' '#!/bin/sh' \
		'rpm=$$(dirname "$$0")/rpm-package' \
		'export LD_LIBRARY_PATH=$$(echo "$$rpm"/usr/lib/*-linux-gnu)' \
		'export RPM_CONFIGDIR="$$rpm"/usr/lib/rpm' \
		'exec "$$rpm"/usr/bin/rpm "$$@"' > $@; \
	chmod +x $@

.PHONY: release
release: image packages ## Build binaries, packages, image, inventory and sums into dist/ (minutes for the other architecture).
	for arch in $(ARCHES); do \
		name=dist/$(BINARY)_$(VERSION)_linux_$$arch; \
		cp dist/linux-$$arch/sbom.cdx.json $$name.cdx.json; \
		cp dist/linux-$$arch/licences.csv $${name}_licences.csv; \
		tar --create --directory dist/linux-$$arch --mtime=@$(SOURCE_DATE_EPOCH) --owner=0 --group=0 --numeric-owner \
			$(BINARY) licences.csv licences.txt sbom.cdx.json | gzip --no-name > $$name.tar.gz; \
	done
	cd dist && sha256sum $(BINARY)[_-]$(VERSION)[_-]* > SHA256SUMS

.PHONY: image
image: dist/ca-certificates.crt $(ARCHES:%=dist/linux-%) ## Build the container image as an archive, without a container engine.
	.tools/release/image -version $(VERSION) -certificates $< -accounts deploy/container/rootfs/etc \
		-output dist/$(BINARY)_$(VERSION)_image.tar $(foreach arch,$(ARCHES),$(arch)=dist/linux-$(arch))

.PHONY: packages
packages: $(ARCHES:%=dist/linux-%) ## Build the deb and rpm packages.
	for arch in $(ARCHES); do for kind in deb rpm; do \
		DIST=dist/linux-$$arch ARCH=$$arch VERSION=$(VERSION) \
			.tools/release/nfpm package --config deploy/packages/nfpm.yaml --packager $$kind --target dist; \
	done; done

# The binary of an architecture, and what is in it.
.PHONY: dist/linux-amd64 dist/linux-arm64
dist/linux-amd64 dist/linux-arm64: dist/linux-%: release-tools
	@echo "building $(BINARY) for $*: up to 12 minutes on two cores when the build cache is cold"
	GOOS=linux GOARCH=$* $(BUILD) -v -o $@/$(BINARY) . 2>&1 | $(PROGRESS)
	.tools/release/inventory -version $(VERSION) -output $@ $@/$(BINARY)

dist/ca-certificates.crt: release-tools
	mkdir -p dist
	.tools/release/certificates > $@

.PHONY: release-tools
release-tools: ## Build the programs that pack releases.
	cd deploy/release && go build -mod=readonly -o $(CURDIR)/.tools/release/ ./certificates ./image ./inventory github.com/goreleaser/nfpm/v2/cmd/nfpm

# Pins come before tidy: an unpinned tidy picks releases that cannot be fetched.
# Our own module appears in the manifest, but is no dependency.
.PHONY: generate
generate: ## Generate code from builder-config.yaml and metadata.yaml, and pin go.mod.
	go tool builder --config builder-config.yaml --skip-get-modules --skip-compilation
	gofmt -w _builder/components.go
	mv _builder/components.go components.go
	rm -r _builder
	go tool builder --config tests/bench/peers/builder-config.yaml --skip-get-modules --skip-compilation
	gofmt -w tests/bench/peers/*.go
	go generate ./...
	go get $$(sed -n 's/.*gomod: \(.*\) \(v.*\)/\1@\2/p' builder-config.yaml | grep -v 'otelcol-tc/otelcol-tc@' | sort -u)
	go mod tidy

.PHONY: check
check: generate ## Fail when generated files differ from what is committed.
	git diff --exit-code
	@test -z "$$(git ls-files --others --exclude-standard)" || \
		{ echo "generated files are not committed:"; git ls-files --others --exclude-standard; exit 1; }

.PHONY: clean
clean: ## Remove what the other targets made.
	rm -rf $(BINARY) .venv .tools otelcol-tc-data dist
