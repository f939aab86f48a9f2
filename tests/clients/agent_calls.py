# SPDX-License-Identifier: Apache-2.0

"""An agent that is written with one of the frameworks for that, and traced as the framework's users trace it.

The agent is the same for all of them: it is asked for the weather, calls a tool for it, and answers. Then a model is
called that refuses, with an error that quotes the question.
"""

from __future__ import annotations

import contextlib
import logging
import os
from collections.abc import Callable
from typing import Any

from opentelemetry import trace

from otlp import destination, destination_parser, telemetry
from recorder import Sent

MODEL = "gpt-4.1-mini"
REFUSED = "gpt-4-turbo"


class Calls:
    """What is said: each text of the user and the model has the secret in it."""

    def __init__(self, api: str, secret: str) -> None:
        self.api = api
        self.key = f"sk-{secret}"
        self.system = f"Answer briefly, {secret}-system."
        self.question = f"What is the weather, {secret}-question?"
        self.description = "The weather in a city."
        self.rain = f"Rain, {secret}-result."
        self.file = f"/home/anna/{secret} letters.txt"
        self.document = f"It rained in June, {secret}-document."

    def get_weather(self, city: str) -> str:
        """The tool."""
        return f"{self.rain} in {city}"


def pydantic_ai(calls: Calls) -> None:
    """Pydantic AI, which traces itself with content by default."""
    from pydantic_ai import Agent, Tool
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    Agent.instrument_all()
    tool = Tool(calls.get_weather, name="get_weather", description=calls.description)
    provider = OpenAIProvider(base_url=calls.api, api_key=calls.key)
    for model in MODEL, REFUSED:
        with contextlib.suppress(Exception):
            Agent(
                OpenAIChatModel(model, provider=provider), name="forecaster", system_prompt=calls.system, tools=[tool]
            ).run_sync(calls.question)


def langchain_agent(calls: Calls) -> None:
    """An agent of LangChain."""
    from langchain.agents import create_agent
    from langchain_core.tools import StructuredTool
    from langchain_openai import ChatOpenAI

    tool = StructuredTool.from_function(calls.get_weather, name="get_weather", description=calls.description)
    for model in MODEL, REFUSED:
        with contextlib.suppress(Exception):
            chat = ChatOpenAI(model=model, base_url=calls.api, api_key=calls.key, max_retries=0)
            create_agent(chat, [tool], system_prompt=calls.system, name="forecaster").invoke(
                {"messages": [{"role": "user", "content": calls.question}]}
            )


def langchain(calls: Calls) -> None:
    """LangChain by OpenInference."""
    from openinference.instrumentation.langchain import LangChainInstrumentor

    LangChainInstrumentor().instrument()
    langchain_agent(calls)


def langchain_openllmetry(calls: Calls) -> None:
    """LangChain by OpenLLMetry."""
    from opentelemetry.instrumentation.langchain import LangchainInstrumentor

    LangchainInstrumentor().instrument()
    langchain_agent(calls)


def openai_agents(calls: Calls) -> None:
    """OpenAI's Agents SDK by OpenInference. Its own traces go to OpenAI only."""
    import agents
    from openai import AsyncOpenAI
    from openinference.instrumentation.openai_agents import OpenAIAgentsInstrumentor

    OpenAIAgentsInstrumentor().instrument(exclusive_processor=True)
    client = AsyncOpenAI(base_url=calls.api, api_key=calls.key, max_retries=0)
    tool = agents.function_tool(
        calls.get_weather, name_override="get_weather", description_override=calls.description
    )
    for model in MODEL, REFUSED:
        with contextlib.suppress(Exception):
            agent = agents.Agent(
                name="forecaster",
                instructions=calls.system,
                tools=[tool],
                model=agents.OpenAIChatCompletionsModel(model, client),
            )
            agents.Runner.run_sync(agent, calls.question)


def haystack_agent(calls: Calls) -> None:
    """A pipeline of Haystack with documents and an agent."""
    from haystack import Document, Pipeline
    from haystack.components.agents import Agent
    from haystack.components.builders import ChatPromptBuilder
    from haystack.components.generators.chat import OpenAIChatGenerator
    from haystack.components.retrievers.in_memory import InMemoryBM25Retriever
    from haystack.dataclasses import ChatMessage
    from haystack.document_stores.in_memory import InMemoryDocumentStore
    from haystack.tools import Tool
    from haystack.utils import Secret

    city = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
    tool = Tool(name="get_weather", description=calls.description, parameters=city, function=calls.get_weather)
    store = InMemoryDocumentStore()
    store.write_documents([Document(content=calls.document, meta={"file": calls.file})])
    for model in MODEL, REFUSED:
        generator = OpenAIChatGenerator(
            model=model, api_base_url=calls.api, api_key=Secret.from_token(calls.key), max_retries=0
        )
        pipeline = Pipeline()
        pipeline.add_component("retriever", InMemoryBM25Retriever(store))
        pipeline.add_component(
            "prompt",
            ChatPromptBuilder(
                [ChatMessage.from_user(calls.question + "{% for d in documents %}{{ d.content }}{% endfor %}")]
            ),
        )
        pipeline.add_component("agent", Agent(chat_generator=generator, tools=[tool], system_prompt=calls.system))
        pipeline.connect("retriever.documents", "prompt.documents")
        pipeline.connect("prompt.prompt", "agent.messages")
        with contextlib.suppress(Exception):
            pipeline.run({"retriever": {"query": calls.question}})


def haystack(calls: Calls) -> None:
    """Haystack's own tracer, which is told to trace content."""
    os.environ["HAYSTACK_CONTENT_TRACING_ENABLED"] = "true"
    from haystack import tracing
    from haystack_integrations.tracing.opentelemetry import OpenTelemetryTracer

    tracing.enable_tracing(OpenTelemetryTracer(trace.get_tracer("haystack")))
    haystack_agent(calls)


def haystack_openinference(calls: Calls) -> None:
    """Haystack by OpenInference."""
    from openinference.instrumentation.haystack import HaystackInstrumentor

    HaystackInstrumentor().instrument()
    haystack_agent(calls)


def llama_index(calls: Calls) -> None:
    """LlamaIndex by OpenInference: a question about documents, and an agent."""
    import asyncio

    from llama_index.core import Document, VectorStoreIndex
    from llama_index.core.agent.workflow import FunctionAgent
    from llama_index.core.tools import FunctionTool
    from llama_index.embeddings.openai import OpenAIEmbedding
    from llama_index.llms.openai import OpenAI
    from openinference.instrumentation.llama_index import LlamaIndexInstrumentor

    LlamaIndexInstrumentor().instrument()
    embedding = OpenAIEmbedding(api_base=calls.api, api_key=calls.key, max_retries=0)
    document = Document(text=calls.document, metadata={"file_path": calls.file})
    index = VectorStoreIndex.from_documents([document], embed_model=embedding)
    tool = FunctionTool.from_defaults(calls.get_weather, name="get_weather", description=calls.description)

    async def ask(llm: Any) -> None:
        agent = FunctionAgent(
            name="forecaster", tools=[tool], llm=llm, system_prompt=calls.system, streaming=False
        )
        await agent.run(calls.question)

    for model in MODEL, REFUSED:
        llm = OpenAI(model=model, api_base=calls.api, api_key=calls.key, max_retries=0)
        with contextlib.suppress(Exception):
            index.as_query_engine(llm=llm).query(calls.question)
        with contextlib.suppress(Exception):
            asyncio.run(ask(llm))


FRAMEWORKS: dict[str, Callable[[Calls], None]] = {
    "pydantic-ai": pydantic_ai,
    "langchain": langchain,
    "langchain-openllmetry": langchain_openllmetry,
    "openai-agents": openai_agents,
    "haystack": haystack,
    "haystack-openinference": haystack_openinference,
    "llama-index": llama_index,
}


def main() -> None:
    """Runs the agent and prints what was sent."""
    os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"
    parser = destination_parser(__doc__)
    parser.add_argument("--framework", choices=sorted(FRAMEWORKS), required=True)
    parser.add_argument("--api", required=True, help="the URL of the API")
    parser.add_argument("--secret", required=True, help="what each text has in it")
    given = parser.parse_args()
    sent = Sent()
    with telemetry(destination(given), {"service.name": f"weather-{given.framework}"}, sent):
        with trace.get_tracer("assistant").start_as_current_span("start"):
            logging.getLogger("assistant").info("starting")
        FRAMEWORKS[given.framework](Calls(given.api, given.secret))
    sent.print()


if __name__ == "__main__":
    main()
