"""Calls of python-gitlab that a test compares with the sandbox. Prints one JSON object."""
import json
import os
import sys

import gitlab


def client(**options):
    return gitlab.Gitlab(os.environ["URL"], private_token=os.environ["TOKEN"], **options)


def status_of(call):
    try:
        call()
    except gitlab.exceptions.GitlabError as error:
        return error.response_code
    return 200


def reads(gl):
    rocket = gl.projects.get("acme/rocket")
    return {
        "project": rocket.id,
        "jobs": [job.id for job in rocket.jobs.list(iterator=True, per_page=100)],
        "failed": {job.status for job in rocket.jobs.list(scope=["failed"], per_page=5)} == {"failed"},
        "branches": [branch.name for branch in rocket.branches.list(get_all=True)],
        "users": [user.username for user in gl.users.list(username="mia")],
    }


def writes(gl):
    rocket = gl.projects.get("acme/rocket", lazy=True)
    variable = rocket.variables.create({"key": "REGION", "value": "north"})
    variable.value = "south"
    variable.save()
    branch = rocket.branches.create({"branch": "from-python", "ref": "main"})
    rocket.files.create(
        {"file_path": "notes/a.txt", "branch": branch.name, "content": "one\n", "commit_message": "Add a note"}
    )
    # This version of the client requires the deprecated parameters.
    snippet = rocket.snippets.create(
        {"title": "Hello", "file_name": "a.sh", "content": "echo hello\n", "visibility": "private"}
    )
    badge = rocket.badges.create({"link_url": "https://a.example", "image_url": "https://a.example/b.svg"})
    upload = rocket.upload("a.txt", filedata="bytes\n")
    wiki = gl.groups.get("acme", lazy=True).wikis.create({"title": "Python", "content": "A page"})
    seen = {
        "variable": rocket.variables.get("REGION").value,
        "file": rocket.files.raw("notes/a.txt", ref=branch.name).decode(),
        "snippet": snippet.content().decode(),
        "badge": badge.kind,
        "upload": upload["alt"],
        "wiki": wiki.slug,
    }
    variable.delete()
    branch.delete()
    badge.delete()
    wiki.delete()
    return {**seen, "deleted": status_of(lambda: rocket.variables.get("REGION"))}


def jobs(gl):
    return len(gl.projects.get("acme/rocket", lazy=True).jobs.list(get_all=True, per_page=100))


def create(gl):
    return gl.projects.get("acme/rocket", lazy=True).variables.create({"key": "REGION", "value": "north"}).key


def show(gl):
    return status_of(lambda: gl.projects.get("acme/rocket", lazy=True).variables.get("REGION"))


def message(gl):
    created = gl.broadcastmessages.create({"message": "Hello"})
    return {"starts_at": created.starts_at, "active": created.active}


def errors(gl):
    rocket = gl.projects.get("acme/rocket", lazy=True)
    wrong = gitlab.Gitlab(os.environ["URL"], private_token="wrong")
    return {
        "unknown": status_of(lambda: rocket.variables.get("NONE")),
        "taken": status_of(lambda: rocket.variables.create({"key": "DEPLOY_USER", "value": "x"})),
        "wrong token": status_of(lambda: wrong.users.list()),
        "throttled": status_of(lambda: rocket.jobs.list(max_retries=0)),
    }


name, options = sys.argv[1], json.loads(sys.argv[2])
print(json.dumps(globals()[name](client(**options))))
