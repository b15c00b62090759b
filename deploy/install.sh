#!/usr/bin/env bash
# Puts the controller on a table, or takes it off: a versioned folder, two launchers, unit, udev rules, user, folders.
# May be run again at any time. Never touches configuration, keys or journal. docs/install.md says what comes before and after.
set -euo pipefail
umask 022

here=$(cd "$(dirname "$0")/.." && pwd)
python=/usr/bin/python3 root="" wheels="" act=install wanted=""
devices=()

usage() {
    cat <<'TEXT'
install.sh [--root DIR] [--python PATH] [--wheels DIR] [--device NAME=SERIAL ...]
install.sh --list | --rollback [VERSION] | --remove   [--root DIR]

  --device NAME=SERIAL  the USB device with that serial number becomes /dev/table-NAME and belongs to the daemon;
                        without any, the rules stay as they are
  --wheels DIR          install from wheels in DIR, without a network
  --python PATH         the Python of the table (default /usr/bin/python3)
  --root DIR            into a folder instead of the running system; nothing is started or reloaded
  --rollback [VERSION]  back to the version before, or to this one
  --list                the versions that are there
  --remove              takes programs, unit and rules away; configuration, keys and journal stay
TEXT
}

fail() { # number, what, where, what to do
    echo "TC-$1 $2: $3: $4" >&2
    exit 2
}

while [ $# -gt 0 ]; do
    case $1 in
    --root | --python | --wheels | --device)
        [ $# -gt 1 ] || fail 0130 "a value is missing" "$1" "see install.sh --help"
        case $1 in
        --root) root=$(realpath -m "$2") ;;
        --python) python=$(realpath -sm "$2") ;;
        --wheels) wheels=$(realpath -m "$2") ;;
        --device) devices+=("$2") ;;
        esac
        shift
        ;;
    --rollback)
        act=rollback
        if [ $# -gt 1 ] && [ "${2#--}" = "$2" ]; then wanted=$2; shift; fi
        ;;
    --list) act=list ;;
    --remove) act=remove ;;
    --help | -h) usage; exit 0 ;;
    *) fail 0130 "unknown option" "$1" "see install.sh --help" ;;
    esac
    shift
done

library=$root/usr/lib/table-controller
launchers=(tabled tablectl)
work="" part=""
trap 'rm -rf "$work" "$part"' EXIT # what was begun and not finished
rules=$root/etc/udev/rules.d/99-table-controller.rules

# --- what must hold before anything is touched

may_write() {
    [ -n "$root" ] || [ "$(id -u)" = 0 ] || fail 0131 "not root" "install.sh" "run it with sudo"
}

booted() { # on a running system, and not, say, in the making of an image
    [ -z "$root" ] && [ -d /run/systemd/system ]
}

daemon_stopped() {
    if booted && systemctl is-active --quiet tabled; then
        fail 0133 "the daemon runs" "tabled.service" "close the table, then: systemctl stop tabled"
    fi
}

python_fits() {
    "$python" -I -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' 2>/dev/null ||
        fail 0132 "no Python 3.11, 3.12 or 3.13" "$python" "name one with --python"
    "$python" -I -c 'import ensurepip, venv' 2>/dev/null ||
        fail 0132 "venv cannot work" "$python" "apt-get install python3-venv"
}

nothing_in_the_way() {
    for name in "${launchers[@]}"; do
        local file=$root/usr/bin/$name
        [ ! -e "$file" ] || grep -q "table-controller" "$file" || fail 0134 "a program of somebody else" "$file" "move it away"
    done
}

devices_named() {
    for device in ${devices[@]+"${devices[@]}"}; do
        [[ $device =~ ^[a-z][a-z0-9-]{0,15}=[A-Za-z0-9._:-]{1,64}$ ]] ||
            fail 0130 "not NAME=SERIAL" "--device $device" "for instance --device shoe=SHOE-0001 (see lsusb -v)"
    done
}

# --- acts

digest() { # of everything that goes into the folder
    (cd "$here" && find controller drivers deploy/config requirements-table.lock pyproject.toml -type f \
        -not -path '*/__pycache__/*' -print0 | sort -z | xargs -0 sha256sum | sha256sum | cut -c1-8)
}

fill() { # folder: the controller and its libraries, hashes checked; everything or nothing
    local source=() pip
    work=$(mktemp -d)
    part=$1.part
    rm -rf "$part"
    [ -z "$wheels" ] || source=(--no-index --find-links "$wheels")
    "$python" -m venv "$work/venv"
    pip=("$work/venv/bin/python" -m pip --disable-pip-version-check)
    sed -n '/^setuptools==/,/[^\\]$/p' "$here/requirements.lock" >"$work/build.lock"
    "${pip[@]}" install --quiet ${source[@]+"${source[@]}"} --require-hashes -r "$work/build.lock"
    "${pip[@]}" install --quiet ${source[@]+"${source[@]}"} --require-hashes -r "$here/requirements-table.lock" --target "$part"
    rm -rf "$part/bin"
    mkdir "$work/source"
    cp -r "$here/controller" "$here/drivers" "$here/pyproject.toml" "$here/README.md" "$work/source"
    "${pip[@]}" wheel --quiet --no-deps --no-build-isolation --wheel-dir "$work" "$work/source"
    "${pip[@]}" install --quiet --no-deps --no-index --target "$part" "$work"/table_controller-*.whl
    rm -rf "$part/bin"
    cp "$here/requirements-table.lock" "$part/requirements.lock"
    cp -r "$here/deploy/config" "$part/config"
    sync -f "$part"
    mv -T "$part" "$1"
}

point() { # link, version: in one step
    ln -sfn "$2" "$library/$1.new"
    mv -T "$library/$1.new" "$library/$1"
}

switch() { # version
    local now
    now=$(readlink "$library/current" 2>/dev/null || true)
    [ "$now" != "$1" ] || return 0
    [ -z "$now" ] || point previous "$now"
    point current "$1"
    sync -f "$library"
}

put() { # mode, source, target
    install -D -m "$1" "$2" "$root$3"
}

place_files() {
    local module
    for name in "${launchers[@]}"; do
        module=controller.app
        [ "$name" = tabled ] || module=controller.cli.main
        mkdir -p "$root/usr/bin"
        sed -e "s|@PYTHON@|$python|" -e "s|@MODULE@|$module|" "$here/deploy/launcher.in" >"$root/usr/bin/.$name.new"
        chmod 755 "$root/usr/bin/.$name.new"
        mv -T "$root/usr/bin/.$name.new" "$root/usr/bin/$name"
    done
    put 644 "$here/deploy/systemd/tabled.service" /usr/lib/systemd/system/tabled.service
    put 644 "$here/deploy/udev/60-table-controller.rules" /usr/lib/udev/rules.d/60-table-controller.rules
    put 644 "$here/deploy/sysusers.d/table-controller.conf" /usr/lib/sysusers.d/table-controller.conf
    put 644 "$here/deploy/tmpfiles.d/table-controller.conf" /usr/lib/tmpfiles.d/table-controller.conf
}

place_rules() {
    [ "${#devices[@]}" -gt 0 ] || return 0
    mkdir -p "$(dirname "$rules")"
    for device in "${devices[@]}"; do
        sed -e "s|@NAME@|${device%%=*}|g" -e "s|@SERIAL@|${device#*=}|g" "$here/deploy/udev/device.rules.in"
    done >"$rules.new"
    mv -T "$rules.new" "$rules"
}

take_up() { # what the running system learns anew
    [ -z "$root" ] || return 0
    systemd-sysusers table-controller.conf
    systemd-tmpfiles --create table-controller.conf
    booted || return 0
    systemctl daemon-reload
    if command -v udevadm >/dev/null; then udevadm control --reload && udevadm trigger; fi
}

next_steps() {
    local config=$root/etc/table-controller/table.toml examples=$library/current/config
    echo "installed: $(readlink "$library/current")"
    if [ ! -e "$config" ]; then
        echo "next: cp ${examples#"$root"}/GAME.toml /etc/table-controller/table.toml, and set what the house plays there"
        echo "then: tabled --config /etc/table-controller/table.toml --init      (keys and journal, once)"
        echo "      tablectl operator add ID --name NAME --role dealer           (and a supervisor)"
    fi
    [ -e "$rules" ] || echo "devices: install.sh --device shoe=SERIAL makes /dev/table-shoe (serial numbers: tablectl doctor)"
    "$python" -I -c 'import lgpio' 2>/dev/null || echo "pins: apt-get install python3-lgpio (the daemon needs it to start)"
    echo "then: tablectl doctor; systemctl enable --now tabled"
}

versions() {
    find "$library" -mindepth 1 -maxdepth 1 -type d -not -name '*.part' -printf '%f\n' 2>/dev/null | sort
}

case $act in
install)
    may_write; devices_named; python_fits; nothing_in_the_way; daemon_stopped
    version=$(sed -n 's/^version = "\(.*\)"/\1/p' "$here/pyproject.toml")
    tag=$("$python" -I -c 'import platform, sys; print(f"cp{sys.version_info[0]}{sys.version_info[1]}-{platform.machine()}")')
    folder=$version-$tag-$(digest)
    mkdir -p "$library"
    [ -d "$library/$folder" ] || fill "$library/$folder"
    place_files; place_rules; switch "$folder"; take_up; next_steps
    ;;
list)
    for name in $(versions); do
        mark=""
        for link in current previous; do
            [ "$(readlink "$library/$link" 2>/dev/null || true)" != "$name" ] || mark+=" $link"
        done
        echo "$name$mark"
    done
    ;;
rollback)
    may_write; daemon_stopped
    wanted=${wanted:-$(readlink "$library/previous" 2>/dev/null || true)}
    [ -n "$wanted" ] && [ -d "$library/$wanted" ] ||
        fail 0135 "no such version ${wanted:-before this one}" "$library" "see install.sh --list"
    switch "$wanted"
    echo "installed: $wanted"
    ;;
remove)
    may_write; nothing_in_the_way; daemon_stopped
    if booted; then systemctl disable --quiet tabled 2>/dev/null || true; fi
    rm -rf "$library" "$rules" "$root"/usr/bin/{tabled,tablectl} "$root/usr/lib/systemd/system/tabled.service" \
        "$root/usr/lib/udev/rules.d/60-table-controller.rules" "$root"/usr/lib/{sysusers,tmpfiles}.d/table-controller.conf
    if booted; then systemctl daemon-reload; fi
    echo "removed; left as they are: /etc/table-controller (configuration, keys), /var/lib/table-controller (journal)"
    ;;
esac
