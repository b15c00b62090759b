"""Ports, pins and USB: each finding both ways, on trees of files."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import msgspec
import pytest

from controller.doctor import pins, ports, usb
from controller.doctor.finding import Level
from controller.doctor.machine import User
from firmware_sim.text_unit import code_table
from tests.doctor.tree import Tree

OK, WARN, FAIL, SKIPPED = Level.OK, Level.WARN, Level.FAIL, Level.SKIPPED
NOBODY = User("table-controller", 4711, frozenset({4712}))


def shoe(tree: Tree, mode: int = 0o666) -> Path:
    """A shoe behind the udev link, and its by-id name."""
    port = tree.put("dev/ttyUSB0", mode=mode)
    tree.link("dev/table-shoe", port)
    tree.link("dev/serial/by-id/usb-Maker_Shoe_SHOE-0001-if00-port0", port)
    return port


# --- ports


def test_a_port_that_is_there_and_free(tree: Tree) -> None:
    shoe(tree)
    tree.process(7, "bash", tree.put("dev/other"))
    found = tree.find(ports.probe)
    assert {one.level for one in found.findings} == {OK}
    assert "nobody holds" in found.text(902) and "ttyUSB0 now" in found.text(903)


def test_a_port_that_is_not_there_tells_the_names_that_are(tree: Tree) -> None:
    shoe(tree)
    (tree.folder / "dev/table-shoe").unlink()
    found = tree.find(ports.probe)
    assert found.level(901) is FAIL
    assert "usb-Maker_Shoe_SHOE-0001-if00-port0" in found.text(901)
    assert found.of(902) == []


def test_f16_the_one_who_holds_the_port_is_named(tree: Tree) -> None:
    port = shoe(tree)
    tree.process(4242, "minicom", port)
    found = tree.find(ports.probe)
    assert found.level(902) is FAIL
    assert "port in use by pid 4242 (minicom)" in found.text(902)


def test_the_daemon_itself_may_hold_it_but_nobody_beside_it(tree: Tree) -> None:
    port = shoe(tree)
    tree.daemon = 99
    tree.process(99, "tabled", port)
    assert "held by the daemon, pid 99" in tree.find(ports.probe).text(902)
    tree.process(100, "cat", port)
    found = tree.find(ports.probe)
    assert [one.level for one in found.of(902)] == [FAIL] and "pid 100 (cat)" in found.text(902)


def test_who_may_not_look_at_every_process_does_not_claim_that_nobody_holds_it(
    tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    shoe(tree)
    tree.process(7, "hidden")
    real = Path.iterdir

    def listed(path: Path) -> object:
        if path.name == "fd":
            raise PermissionError(13, "Permission denied")
        return real(path)

    monkeypatch.setattr(Path, "iterdir", listed)
    found = tree.find(ports.probe)
    assert found.level(902) is SKIPPED and "sudo" in found.text(902)


def test_a_name_that_the_kernel_counts(tree: Tree) -> None:
    port = shoe(tree)
    tree.config().write_text(tree.config().read_text().replace("dev/table-shoe", "dev/ttyUSB0"))
    found = tree.find(ports.probe)
    assert found.level(903) is WARN
    assert f"{port.parent}/serial/by-id/usb-Maker_Shoe_SHOE-0001-if00-port0" in found.text(903)


def test_a_port_of_another_group(tree: Tree) -> None:
    shoe(tree, mode=0o660)
    tree.user = NOBODY
    found = tree.find(ports.probe)
    assert found.level(904) is FAIL and "mode 0660" in found.text(904)
    tree.user = User("table-controller", 4711, frozenset({os.getgid()}))
    assert tree.find(ports.probe).level(904) is OK


def uart(tree: Tree) -> Path:
    """A shoe on the header's UART, as the kernel makes it: for root and the group of the port."""
    tree.config().write_text(tree.config().read_text().replace("dev/table-shoe", "dev/ttyAMA0"))
    port = tree.put("dev/ttyAMA0", mode=0o660)
    tree.link("dev/serial0", port)
    tree.user = NOBODY
    return port


def test_a_refused_uart_is_a_matter_of_its_group_and_no_udev_rule_helps(tree: Tree) -> None:
    uart(tree)
    found = tree.find(ports.probe)
    assert found.level(904) is FAIL and "usermod -aG dialout table-controller" in found.text(904)
    assert "install.sh" not in found.text(904) and found.level(903) is OK


@pytest.mark.parametrize("word", ["console=serial0,115200", "console=ttyAMA0,115200n8"])
def test_a_serial_console_on_the_shoes_uart_is_named_whoever_may_use_it(tree: Tree, word: str) -> None:
    uart(tree)
    tree.user = User("table-controller", 4711, frozenset({os.getgid()}))
    tree.put("boot/cmdline.txt", f"console=tty1 {word} root=PARTUUID=1\n")
    found = tree.find(ports.probe)
    assert found.level(904) is FAIL and f"take {word} out of it" in found.text(904)
    tree.put("boot/cmdline.txt", "console=tty1 console=ttyS0,115200 root=PARTUUID=1\n")  # another UART
    assert tree.find(ports.probe).level(904) is OK


def test_a_uart_that_is_off_is_switched_on_in_config_txt(tree: Tree) -> None:
    uart(tree).unlink()
    found = tree.find(ports.probe)
    assert found.level(901) is FAIL and "enable_uart=1" in found.text(901) and "by-id" not in found.text(901)


def test_a_table_without_a_port(tree: Tree) -> None:
    text = tree.config().read_text().split("[shoe]")[0].replace("boxes = 6", 'boxes = 6\ncards = "at_turn"')
    tree.put("table.toml", text)
    assert tree.find(ports.probe).level(901) is SKIPPED


def test_every_serial_port_of_the_configuration_is_looked_at(tree: Tree) -> None:
    shoe(tree)
    tree.config('[badge]\nport = "dev/badge"\n')
    found = tree.find(ports.probe)
    assert [one.level for one in found.of(901)] == [OK, FAIL] and "badge: no such port" in found.text(901)


# --- pins


@pytest.fixture
def no_lgpio(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "lgpio", None)
    monkeypatch.delitem(sys.modules, "gpiozero.pins.lgpio", raising=False)


def test_f40_a_factory_that_does_not_load_is_named_with_its_cause(tree: Tree, no_lgpio: None) -> None:
    found = tree.find(pins.probe)
    assert found.level(905) is FAIL
    assert "lgpio" in found.text(905) and "python3-lgpio" in found.text(905)


def test_f40_the_factory_that_really_loads_is_named_by_its_class(tree: Tree) -> None:
    tree.config('[gpio]\nfactory = "mock"\n', mode="bench")
    found = tree.find(pins.probe)
    assert found.level(905) is OK and "gpiozero.pins.mock:MockFactory" in found.text(905)
    assert found.level(906) is SKIPPED


def test_the_environment_chooses_as_it_does_for_the_daemon(tree: Tree) -> None:
    tree.environ["GPIOZERO_PIN_FACTORY"] = "mock"
    found = tree.find(pins.probe)
    assert found.level(905) is FAIL and "GPIOZERO_PIN_FACTORY=mock" in found.text(
        905
    )  # production takes real ones only


def test_f42_looking_at_the_factory_leaves_no_trace_of_lgpio(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tree.folder)
    monkeypatch.setenv("LG_WD", "/nowhere")
    tree.find(pins.probe)
    assert os.environ["LG_WD"] == "/nowhere"
    assert not list(tree.folder.glob(".lgd*"))


def test_chip_and_bus_that_the_user_may_use(tree: Tree) -> None:
    for name in ("gpiochip0", "spidev0.0", "spidev0.1"):
        tree.put(f"dev/{name}", mode=0o660)
    tree.user = User("table-controller", 4711, frozenset({os.getgid()}))
    found = tree.find(pins.probe)
    assert (found.level(906), found.level(907)) == (OK, OK)
    tree.user = NOBODY
    found = tree.find(pins.probe)
    assert (found.level(906), found.level(907)) == (FAIL, FAIL)
    assert "usermod -aG gpio table-controller" in found.text(906)


def test_without_spi_the_fall_back_is_named(tree: Tree) -> None:
    tree.put("dev/spidev0.0", mode=0o666)
    found = tree.find(pins.probe)
    assert found.level(906) is FAIL and "no GPIO chip" in found.text(906)
    assert [one.level for one in found.of(907)] == [OK, FAIL]
    assert "text display" in found.text(907) and "bit-banging" in found.text(907)


@pytest.mark.parametrize(
    ("line", "pin"),
    [
        ("dtparam=i2c_arm=on", "DOOR (GPIO2)"),
        ("dtparam=i2s=on", "K4 (GPIO18)"),
        ("dtoverlay=w1-gpio", "SWITCH (GPIO4)"),
    ],
)
def test_an_overlay_that_takes_a_pin(tree: Tree, line: str, pin: str) -> None:
    tree.put("boot/config.txt", f"dtparam=spi=on\n{line}  # added by hand\n")
    found = tree.find(pins.probe)
    assert found.level(908) is FAIL and f"{line} takes" in found.text(908) and pin in found.text(908)
    tree.put("boot/config.txt", f"dtparam=spi=on\n#{line}\ndtparam=i2c_arm=off\ndtoverlay=w1-gpio,gpiopin=14\n")
    assert tree.find(pins.probe).level(908) is OK


LINES = """gpiochip0: GPIOs 512-569, parent: platform/fe200000.gpio, pinctrl-bcm2711:
 gpio-514 (GPIO2               |door-thing          ) in  lo IRQ
 gpio-517 (GPIO5               )
 gpio-526 (GPIO14              |uart0               ) out hi
"""


def test_a_line_that_somebody_holds(tree: Tree) -> None:
    tree.put("sys/kernel/debug/gpio", LINES)
    found = tree.find(pins.probe)
    assert found.level(908) is FAIL and "DOOR (GPIO2) is held by door-thing" in found.text(908)
    assert "GPIO14" not in found.text(908)
    tree.put("sys/kernel/debug/gpio", LINES.replace("|door-thing", ""))
    assert "nobody holds one of our pins" in tree.find(pins.probe).text(908)


# --- USB


def plugged(tree: Tree, place: str, serial: str, **interfaces: str) -> None:
    base = f"sys/bus/usb/devices/{place}"
    for name, text in {"idVendor": "0403", "idProduct": "6001", "serial": serial, "product": "UART"}.items():
        tree.put(f"{base}/{name}", text + "\n")
    tree.put(f"{base}/bDeviceClass", "00\n")
    for number, kind in interfaces.items():
        tree.put(f"{base}/{place}:1.{number[1:]}/bInterfaceClass", kind + "\n")


def test_only_what_the_house_allows(tree: Tree) -> None:
    tree.config('[usb]\nallow = ["0403:6001:SHOE-0001", "1209:*:*"]\n')
    plugged(tree, "1-1", "SHOE-0001", i0="ff")
    tree.put("sys/bus/usb/devices/usb1/idVendor", "1d6b\n")
    tree.put("sys/bus/usb/devices/usb1/bDeviceClass", "09\n")
    found = tree.find(usb.probe)
    assert [one.level for one in found.of(960)] == [OK]
    plugged(tree, "1-2", "A1", i0="03", i1="08")
    found = tree.find(usb.probe)
    assert found.level(960) is FAIL
    assert "not allowed: UART 0403:6001:A1 (keyboard or mouse, mass storage)" in found.text(960)


def test_without_a_list_every_device_is_told_with_the_line_to_add(tree: Tree) -> None:
    assert tree.find(usb.probe).level(960) is SKIPPED
    (tree.folder / "sys/bus/usb/devices").mkdir(parents=True)
    assert tree.find(usb.probe).level(960) is OK
    plugged(tree, "1-1", "SHOE-0001")
    found = tree.find(usb.probe)
    assert found.level(960) is WARN and 'add "0403:6001:SHOE-0001" to usb.allow' in found.text(960)


SHUFFLER = '[shuffler]\nvendor = 0x0403\nproduct = 0x6001\nserial = "SHUF-0001"\nunsealed = true\n'


def test_the_shuffler_on_its_bus(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    assert tree.find(usb.probe).of(961) == []
    tree.config(SHUFFLER)
    plugged(tree, "1-1", "ANOTHER")
    found = tree.find(usb.probe)
    assert found.level(961) is FAIL and "no shuffler 0403:6001:SHUF-0001" in found.text(961)
    plugged(tree, "1-2", "SHUF-0001")
    for name, text in (("busnum", "1"), ("devnum", "12")):
        tree.put(f"sys/bus/usb/devices/1-2/{name}", text)
    assert "no device file" in tree.find(usb.probe).text(961)
    tree.put("dev/bus/usb/001/012", mode=0o664)
    tree.user = NOBODY
    assert "may not use the shuffler" in tree.find(usb.probe).text(961)
    tree.put("dev/bus/usb/001/012", mode=0o666)
    assert tree.find(usb.probe).level(961) is OK
    for there, level in (("libusb-1.0.so.0", OK), (None, FAIL)):
        monkeypatch.setattr(usb, "find_library", lambda _, there=there: there)
        assert tree.find(usb.probe).level(962) is level


def test_a_simulated_shuffler_is_on_no_bus(tree: Tree) -> None:
    tree.config(SHUFFLER + 'usb_backend = "firmware_sim"\n', mode="bench")
    found = tree.find(usb.probe)
    assert found.level(961) is SKIPPED and found.of(962) == []


def test_a_finding_is_one_line_with_its_remedy(tree: Tree) -> None:
    found = tree.find(ports.probe)
    for one in found.findings:
        assert "\n" not in one.line()
        assert (one.remedy != "") is (one.level in (WARN, FAIL)), one
        assert msgspec.json.decode(msgspec.json.encode(one))["code"] == one.code


# --- readers and peers


def test_every_serial_port_is_looked_at_and_code_tables_are_read(tree: Tree) -> None:
    shoe(tree)
    tree.put("dev/table-tray", mode=0o666)
    codes = tree.put("codes.toml", code_table())
    more = '[tray]\nport = "dev/table-tray"\ncodes = "codes.toml"\n[overlay]\nport = "tcp://10.0.0.1:9100"\n'
    tree.config(more + '[printer]\nport = "dev/table-printer"\n')
    found = tree.find(ports.probe)
    assert [one.level for one in found.of(901)] == [OK, OK, FAIL]  # shoe, tray, printer; none for TCP
    assert found.level(909) is OK
    assert "53 codes" in found.text(909)
    codes.write_text('[codes]\n"01" = "As"\n', "utf-8")
    assert "51 cards have no code" in tree.find(ports.probe).text(909)
    codes.unlink()
    assert tree.find(ports.probe).level(909) is FAIL
