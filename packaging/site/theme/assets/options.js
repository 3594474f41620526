// The form of the page "Choose your options": answers in, C++ and reasons out.
"use strict";

// compose(data, chosen): the code for the answers; chosen has the number of an answer for each
// question.
function compose(data, chosen) {
  const options = data.questions.flatMap((question, at) => question.answers[chosen[at]].options);
  const list = (where) => data.order[where]
    .map((member) => options.find((one) => one.where === where && one.member === member))
    .filter((one) => one).map((one) => `.${one.member} = ${one.value}`);
  const call = options.some((one) => one.where === "call") ? "MetadataInformerFor" : "InformerFor";
  const informer = list("informer");
  const handler = list("handler");
  const lines = ["SharedInformerFactory factory(client);"];
  if (informer.length === 0) {
    lines.push(`auto pods = factory.${call}<corev1::Pod>();`);
  } else {
    lines.push(`auto pods = factory.${call}<corev1::Pod>({`,
               ...informer.map((line) => `    ${line},`), "});");
  }
  lines.push("auto handler =",
             "    pods.AddEventHandler({.on_add = [](const auto& e) { std::cout << e.key << '\\n'; }}" +
             (handler.length === 0 ? "" : `,\n                         {${handler.join(", ")}}`) + ")",
             "        .OrExit()", "        .Scoped();");
  return lines.join("\n") + "\n";
}

// Plain text, and `code` as such.
function put(element, text) {
  text.split("`").forEach((part, at) => {
    if (at % 2 === 0) return element.append(part);
    const code = document.createElement("code");
    code.textContent = part;
    element.append(code);
  });
  return element;
}

function make(name, parent, text = "") {
  const element = put(document.createElement(name), text);
  parent.append(element);
  return element;
}

function begin(form, data) {
  const chosen = data.questions.map(() => 0);
  const asked = make("form", form);
  const result = make("div", form);
  result.className = "options-result";
  const code = make("code", make("pre", result));
  const copy = make("button", result, "Copy");
  copy.className = "md-button";
  copy.addEventListener("click", async () => {
    await navigator.clipboard.writeText(code.textContent);
    copy.textContent = "Copied";
  });
  const reasons = make("ul", result);
  const show = () => {
    code.textContent = compose(data, chosen);
    copy.textContent = "Copy";
    reasons.replaceChildren();
    data.questions.forEach((question, at) => {
      const answer = question.answers[chosen[at]];
      if (answer.options.length === 0) return;
      const names = answer.options.map((one) => `\`${one.member.replace("call", one.value)}\``);
      put(make("li", reasons), `${names.join(", ")}: ${answer.why}`);
    });
  };
  data.questions.forEach((question, at) => {
    const field = make("fieldset", asked);
    make("legend", field, question.question);
    question.answers.forEach((answer, number) => {
      const label = make("label", field);
      const radio = make("input", label);
      Object.assign(radio, {type: "radio", name: `q${at}`, checked: number === 0});
      radio.addEventListener("change", () => {
        chosen[at] = number;
        show();
      });
      put(make("span", label), answer.answer);
    });
  });
  show();
}

if (typeof module !== "undefined") {
  module.exports = {compose};
} else {
  const form = document.getElementById("options-form");
  if (form) begin(form, JSON.parse(document.getElementById("options-data").textContent));
}
