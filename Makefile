# make setup | demo | test | check | bench
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
export HF_HUB_OFFLINE ?= 1

.PHONY: setup demo test check docs pictures fuzz stress licences sbom lock-hashes audit understanding standing bench bench-reading bench-retrieval bench-verification bench-chat bench-serve bench-score bench-model behaviour test-model lock
setup: $(STAMP)

$(STAMP): pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable ".[dev]"
	touch $@

demo: setup
	$(BIN)/pageproof demo

check: setup
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/python -m pytest tests/house/test_architecture.py tests/house/test_docs.py

# Trains the readers of questions and of turns in a conversation on the phrases beside them; takes about three minutes.
understanding: setup
	$(BIN)/python -m query_engines.training.topics
	$(BIN)/python -m query_engines.training.linear

# Trains how a question stands to a figure, and which kind of answer it wants; takes about an hour.
standing: setup
	$(BIN)/python -m query_engines.training.standings

# What in docs/ is written from the code.
docs: setup
	$(BIN)/python -m tests.support.settings_page
	$(BIN)/python -m tests.support.house

# The pictures of the chat in docs/, over the sample reports.
pictures: setup
	$(BIN)/python -m tests.support.doc_pictures

# Two files at once, those in browsers first: they take longest and wait most. The quick ones come last and end together.
WORKERS ?= 2
test: check
	$(BIN)/python -m pytest --numprocesses $(WORKERS) --dist loadfile --no-loadscope-reorder

# Random texts at everything that reads what people, files and models write; what breaks is kept for the tests.
SECONDS ?= 300
fuzz: setup
	$(BIN)/python -m tests.support.fuzzing $(SECONDS)

# Inputs that nobody honest sends by the thousand, kills at any moment, and each file of a data root damaged in each way.
KILLS ?= 100
stress: setup
	$(BIN)/python -m tests.measures.hostile_inputs
	$(BIN)/python -m tests.measures.kill_runs $(KILLS)
	$(BIN)/python -m tests.support.kills $(KILLS)
	PAGEPROOF_EVERY_DAMAGE=1 $(BIN)/python -m pytest tests/chat/test_damaged_files.py

# Every package that an installation brings, with its licence.
licences: setup
	$(BIN)/python -m tests.support.licences

# The same as a bill of materials (CycloneDX), for a release.
sbom: setup
	mkdir -p build
	$(BIN)/python -m tests.support.supply sbom > build/sbom.json

# constraints.txt with the SHA-256 of each file that this machine would install; asks the package index.
# `pip install --require-hashes --no-deps --requirement build/constraints-hashes.txt` takes no other file.
lock-hashes: setup
	mkdir -p build
	$(BIN)/python -m pip install --quiet --dry-run --ignore-installed --no-deps --requirement constraints.txt \
	  --report build/pip-report.json
	$(BIN)/python -m tests.support.supply hashes build/pip-report.json > build/constraints-hashes.txt

# Known holes in these packages; asks the package index, so it needs the network.
audit: setup
	$(BIN)/python -m pip install --quiet pip-audit
	$(BIN)/pip-audit --requirement constraints.txt --no-deps

# Speed and memory beside references, in build/bench.md; SECTIONS="reading embedding retrieval memory whole starts gate" names some.
bench: setup
	$(BIN)/python -m tests.measures.bench $(SECTIONS)

# How well real reports are read, and how fast beside other readers; the folder holds reports/*.pdf and truth/facts.json.
bench-reading: setup
	@test -n "$(PAGEPROOF_REAL_REPORTS)" || { \
	  echo "PAGEPROOF_REAL_REPORTS is not set; name a folder with reports/*.pdf and truth/facts.json" >&2; exit 2; }
	$(BIN)/python -m tests.measures.reading $(PAGEPROOF_REAL_REPORTS)
	$(BIN)/python -m tests.measures.bench reading

# How often the right page comes first, with each ingredient on and off; PAGEPROOF_DATA holds the reports ingested.
bench-retrieval: setup
	@test -n "$(PAGEPROOF_REAL_REPORTS)" || { \
	  echo "PAGEPROOF_REAL_REPORTS is not set; name a folder with truth/facts.json, and in PAGEPROOF_DATA the library" >&2; exit 2; }
	$(BIN)/python -m tests.measures.retrieval $(PAGEPROOF_REAL_REPORTS)

# Known figures as drafts, right and wrong in one respect, and what verification makes of them.
bench-verification: setup
	@test -n "$(PAGEPROOF_REAL_REPORTS)" -a -n "$(PAGEPROOF_DATA)" || { \
	  echo "name a folder with truth/facts.json in PAGEPROOF_REAL_REPORTS, and in PAGEPROOF_DATA the library" >&2; exit 2; }
	$(BIN)/python -m tests.measures.verification $(PAGEPROOF_REAL_REPORTS) --pages $(PAGEPROOF_DATA)/pages

# Twenty people in one chat for five minutes, over a copy of the library in PAGEPROOF_DATA; PDF=... is read meanwhile.
bench-chat: setup
	@test -n "$(PAGEPROOF_DATA)" || { echo "name a copy of a library in PAGEPROOF_DATA: a PDF that is read stays in it" >&2; exit 2; }
	$(BIN)/python -m tests.measures.costs.chat $(PAGEPROOF_DATA) 20 5 $(PDF)

# Fifty programs of ten people against the API for two minutes, over a copy of the library in PAGEPROOF_DATA.
bench-serve: setup
	@test -n "$(PAGEPROOF_DATA)" || { echo "name a library with the sample of Tsukimine Seiki alone in PAGEPROOF_DATA" >&2; exit 2; }
	$(BIN)/python -m tests.measures.costs.serving $(PAGEPROOF_DATA) 50 120

# Our score beside another implementation of the challenge's rule, over random submissions.
bench-score: setup
	@test -n "$(ERC_SCORE)" || { echo "name a script with score(truth, answers) in ERC_SCORE" >&2; exit 2; }
	$(BIN)/python -m tests.measures.scores $(ERC_SCORE)

# How good answers are with a language model on this machine; PAGEPROOF_DATA holds the reports ingested. MODEL=FILE is a
# GGUF, QUESTIONS=FILE known answers such as facts.json. FACTS=no switches the fact table off; SET="--set ..." adds more.
COUNT ?= 100
bench-model: setup
	@test -n "$(QUESTIONS)" -a -n "$(PAGEPROOF_DATA)" || { \
	  echo "name known answers in QUESTIONS, a model's file in MODEL, and in PAGEPROOF_DATA the library" >&2; exit 2; }
	$(BIN)/python -m tests.measures.model $(QUESTIONS) --count $(COUNT) $(if $(filter no,$(FACTS)),--without-facts) \
	  $(if $(MODEL),--set llm.model=$(MODEL)) $(SET)

# What is answered differently than it was kept: over the samples, and with FOLDER=DIR (truth/*.json) over real reports
# that are ingested in PAGEPROOF_DATA. KEEP=yes keeps what is answered now.
behaviour: setup
	$(BIN)/python -m tests.measures.behaviour samples $(if $(filter yes,$(KEEP)),--write)
	$(if $(FOLDER),$(BIN)/python -m tests.measures.behaviour real $(FOLDER) --data $(PAGEPROOF_DATA) \
	  $(if $(filter yes,$(KEEP)),--write))

# Ten questions over the sample reports, answered by a real model: MODEL=FILE is a GGUF.
test-model: setup
	@test -n "$(MODEL)" || { echo "name a model's file in MODEL" >&2; exit 2; }
	PAGEPROOF_MODEL=$(MODEL) $(BIN)/python -m pytest tests/models/test_real_model.py

# Exact versions of everything installed; torch's family follows the machine (CPU or CUDA), so it is left out.
lock: setup
	$(BIN)/python -m pip freeze --all --exclude-editable \
	  | grep -vE '^(torch|torchvision|triton|nvidia-|cuda-|pip=|setuptools=|wheel=| *-e |pageproof)' > constraints.txt
