# How the tests get what they need (collectortest.Needs): a program that is installed, or
# Debian's, unpacked below .tools, or one that is built from source.

.PHONY: venv genai-venv ray prometheus promtool redis-server rpm browser axe jaeger kubernetes

venv: .venv/.done ## Make the virtual environment of the real Python clients.

genai-venv: .venv-genai/.done .venv-litellm/.done ## Make the virtual environments of the clients that call models.

ray: .venv-ray/.done ## Make the virtual environment of the real Ray (2 minutes, 500 MB).

.venv/.done: tests/clients/requirements.txt
.venv-genai/.done: tests/genai/requirements.txt
.venv-litellm/.done: tests/genai/requirements-litellm.txt
.venv-ray/.done: tests/ray/requirements.txt
.venv-rotel/.done: tests/bench/rotel.txt
.venv/.done .venv-genai/.done .venv-litellm/.done .venv-ray/.done .venv-rotel/.done:
	$(PYTHON) -m venv $(@D)
	$(@D)/bin/pip install --quiet --disable-pip-version-check -r $<
	touch $@

# Links to an installed program of one of these names, and ends the recipe.
use_installed = mkdir -p .tools; for name in $(1); do \
	if installed=$$(command -v $$name); then ln -sf "$$installed" $@; exit; fi; done

# Writes a script that runs a program of an unpacked package with the package's libraries.
# The second argument sets further variables.
define run_unpacked
printf '%s\n' '#!/bin/sh' \
	'unpacked=$$(dirname "$$0")/$(@F)-package' \
	'export LD_LIBRARY_PATH=$$(echo "$$unpacked"/usr/lib/*-linux-gnu):$$(echo "$$unpacked"/usr/lib/*-linux-gnu/pulseaudio)' \
	'$(2)' \
	'exec "$$unpacked"/$(1) "$$@"' > $@; \
chmod +x $@
endef

prometheus: .tools/prometheus promtool ## Get the Prometheus server of the tests.
# It tests the alerts, and comes with the server.
promtool: .tools/promtool

.tools/prometheus .tools/promtool:
	$(call use_installed,$(@F)); \
	[ -e .tools/prometheus-package ] || tests/debian-package .tools/prometheus-package prometheus; \
	ln -sf prometheus-package/usr/bin/$(@F) $@

redis-server: .tools/redis-server ## Get the Redis server of the tests.

.tools/redis-server:
	$(call use_installed,redis-server); \
	tests/debian-package $@-package redis-server; \
	$(call run_unpacked,usr/bin/redis-server,)

rpm: .tools/rpm ## Get the rpm of the packages' tests.

.tools/rpm:
	$(call use_installed,rpm); \
	tests/debian-package $@-package rpm; \
	$(call run_unpacked,usr/bin/rpm,export RPM_CONFIGDIR="$$unpacked"/usr/lib/rpm)

browser: .tools/browser ## Get the browser of the page's tests.

# With fonts, so that pictures are the same everywhere.
.tools/browser:
	$(call use_installed,chromium-headless-shell chrome-headless-shell chromium google-chrome); \
	tests/debian-package $@-package chromium-headless-shell fonts-inter fonts-dejavu-core; \
	cp tests/fonts.conf $@-package/; \
	$(call run_unpacked,usr/lib/chromium/chromium-headless-shell,export FONTCONFIG_FILE="$$unpacked"/fonts.conf)

axe: .tools/axe.min.js ## Get axe-core, with which tests check that everybody can use the page.

AXE_CORE := 4.14.1

.tools/axe.min.js:
	mkdir -p .tools
	cd .tools && npm pack --silent axe-core@$(AXE_CORE) && tar -xzf axe-core-$(AXE_CORE).tgz --strip-components=1 package/axe.min.js
	rm .tools/axe-core-$(AXE_CORE).tgz
	touch $@

jaeger: .tools/jaeger ## Build the Jaeger of the tests (5 minutes with a cold cache).

.tools/jaeger: tests/jaeger/go.mod tests/jaeger/go.sum
	@echo "building Jaeger: 5 minutes with a cold cache"
	cd tests/jaeger && go build -mod=readonly -ldflags '-s -w' -o $(CURDIR)/$@ github.com/jaegertracing/jaeger/cmd/jaeger

kubernetes: .tools/kube-apiserver .tools/etcd .tools/kubectl .tools/helm .tools/prometheus-operator ## Build the Kubernetes API server, kubectl and helm of the tests (3 minutes with a cold cache).

# They say their release when asked, and charts and clients ask.
KUBERNETES_VERSION = $(shell sed -n 's|^\tk8s.io/kubernetes \(v[0-9.]*\).*|\1|p' tests/kubernetes/go.mod)
KUBERNETES_MINOR = $(word 2,$(subst ., ,$(KUBERNETES_VERSION)))
HELM_VERSION = $(shell sed -n 's|^\thelm.sh/helm/v3 \(v[0-9.]*\).*|\1|p' tests/kubernetes/go.mod)

.tools/kube-apiserver .tools/kubectl: tests/kubernetes/go.mod tests/kubernetes/go.sum
	@echo "building $(@F): a minute or two with a cold cache"
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

PROMETHEUS_OPERATOR := v0.85.0

# The definitions of its custom resources, which the chart can make.
.tools/prometheus-operator:
	module=$$(go mod download -json github.com/prometheus-operator/prometheus-operator@$(PROMETHEUS_OPERATOR) | \
		sed -n 's/.*"Dir": "\(.*\)".*/\1/p'); \
	mkdir -p $@ && cp "$$module"/example/prometheus-operator-crd/*_podmonitors.yaml \
		"$$module"/example/prometheus-operator-crd/*_prometheusrules.yaml $@/
