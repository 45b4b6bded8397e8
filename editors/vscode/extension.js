// Starts `sglc lsp` and shows the answers of its commands.  Without the client library (`npm install`)
// colours, snippets and the problem matcher remain.
"use strict";

const vscode = require("vscode");

let client;

function load() {
  try {
    return require("vscode-languageclient/node");
  } catch {
    return undefined;
  }
}

// The answer of a command stands beside the grammar, not in a message that goes away.
async function show(command, text) {
  const language = command === "sgl.explain" ? "markdown" : "plaintext";
  const document = await vscode.workspace.openTextDocument({ content: text, language });
  await vscode.window.showTextDocument(document, { viewColumn: vscode.ViewColumn.Beside, preview: true, preserveFocus: true });
}

async function start() {
  const library = load();
  if (!library) {
    vscode.window.showWarningMessage("SGL: the client of the language server is missing; run `npm install` in the extension.");
    return;
  }
  const command = vscode.workspace.getConfiguration("sgl").get("command") || ["sglc", "lsp"];
  client = new library.LanguageClient(
    "sgl",
    "SGL",
    { command: command[0], args: command.slice(1) },
    {
      documentSelector: [
        { scheme: "file", language: "sgl" },
        { scheme: "file", language: "yaml", pattern: "**/*.{yaml,yml}" },
      ],
      initializationOptions: { answers: "result" },
      middleware: {
        async executeCommand(name, args, next) {
          const progress = { location: vscode.ProgressLocation.Notification, title: `SGL: ${name.replace("sgl.", "")}` };
          const text = await vscode.window.withProgress(progress, () => next(name, args));
          if (typeof text === "string") {
            await show(name, text);
          }
          return text;
        },
      },
    },
  );
  try {
    await client.start();
  } catch {
    vscode.window.showErrorMessage(`SGL: \`${command.join(" ")}\` does not start; \`pip install 'sgl-compiler[lsp]'\` installs it.`);
  }
}

exports.activate = async (context) => {
  // Commands of the palette are about the file that is open.
  for (const [name, command] of [["sgl.proveThis", "sgl.prove"], ["sgl.compileThis", "sgl.compile"]]) {
    context.subscriptions.push(
      vscode.commands.registerCommand(name, () => {
        const editor = vscode.window.activeTextEditor;
        return editor && vscode.commands.executeCommand(command, editor.document.uri.toString());
      }),
    );
  }
  context.subscriptions.push(
    vscode.commands.registerCommand("sgl.restart", async () => {
      await client?.stop();
      await start();
    }),
  );
  await start();
};

exports.deactivate = () => client?.stop();
