"""The generated sources and headers, made by generate.py."""

def _generated_impl(ctx):
    folders = [ctx.actions.declare_directory(name) for name in ["generated/include", "generated/src", "generated/api"]]
    registry = ctx.actions.declare_file("generated/registry_tables.cc")
    page = ctx.actions.declare_file("generated/page_files.cc")
    outputs = folders + [registry, page]
    ctx.actions.run_shell(
        command = 'python3 -B "$1" "$(dirname "$1")/../.." "${@:2}"',
        arguments = [ctx.file.script.path] + [output.path for output in outputs],
        inputs = ctx.files.inputs + [ctx.file.script],
        outputs = outputs,
        mnemonic = "KinformerGenerate",
        progress_message = "Generating the API of kinformer",
        use_default_shell_env = True,
    )
    return [
        DefaultInfo(files = depset(outputs)),
        OutputGroupInfo(
            headers = depset(folders[:2]),
            api = depset([folders[2]]),
            registry = depset([registry]),
            page = depset([page]),
        ),
    ]

generated = rule(
    implementation = _generated_impl,
    attrs = {
        "inputs": attr.label_list(allow_files = True),
        "script": attr.label(allow_single_file = True),
    },
)
